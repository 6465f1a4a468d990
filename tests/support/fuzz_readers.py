"""Every reader of bilex with valid files, how to damage them, and how to read them."""

from __future__ import annotations

import gzip
import json
import pickle
import shutil
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

import bilex
from benchmark_data import SUITE
from bilex.benchmark import expand, load_suite
from bilex.config import build_parts, load_preset, to_toml
from bilex.embeddings import load_embeddings, save_embeddings
from bilex.errors import BilexError
from bilex.inducer import LexiconInducer
from bilex.lexicons import (
    DictionaryEntry,
    DictionaryMetadata,
    read_dictionary,
    read_lexicon,
    write_dictionary,
    write_lexicon,
)
from bilex.model.checkpoint import Checkpoint
from bilex.storage.answer_file import known_answers
from bilex.storage.hashes import sha256_of_words
from bilex.values import EmbeddingSpace, Entry, Lexicon, LinearMap, Round
from candidates import calibrated_model
from mutation import (
    Mutation,
    binary_numbers,
    encoded,
    gensim_state,
    gzipped,
    json_file,
    json_lines,
    keyed_vectors,
    parquet_file,
    pickle_opcodes,
    safetensors_header,
    sheet_file,
    some_bytes,
    stardict_index,
    toml_file,
    words_and_numbers,
    xml_file,
    zipped,
)
from twins import Twins, make_twins

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
PEOPLE = Path(__file__).resolve().parents[1] / "lexicons" / "people" / "files"


@dataclass(frozen=True)
class Reader:
    """What is fuzzed.

    Attributes:
        name: For messages.
        prepare: Writes valid files into an empty folder.
        mutations: How to damage each file, by its name or the end of its name.
        read: Reads the folder; must return, or raise a `BilexError`.
        share: How many of a thousand inputs it gets.
    """

    name: str
    prepare: Callable[[Path], object]
    mutations: dict[str, Mutation]
    read: Callable[[Path], object]
    share: int


# Vectors.


def _space() -> EmbeddingSpace:
    return make_twins(6, dim=4).source


def _save_vectors(name: str) -> Callable[[Path], None]:
    return lambda folder: save_embeddings(_space(), folder / name)


def _load_vectors(name: str) -> Callable[[Path], None]:
    return lambda folder: _check_vectors(folder / name)


def _check_vectors(path: Path, cache: Path | None = None) -> None:
    space = load_embeddings(path, cache=cache)
    assert len(set(space.words)) == len(space) > 0
    assert torch.isfinite(space.vectors).all()
    assert len(f"{space!r} {space.report!r}") < 100_000
    if space.subwords is not None:
        spelled = space.subwords.vector("größe")
        assert spelled is None or torch.isfinite(spelled).all()


def _write_gensim(folder: Path) -> None:
    space = _space()
    state = {
        "index_to_key": list(space.words),
        "key_to_index": dict(space.index),
        "vectors": space.vectors.numpy(),
        "vector_size": 4,
        "norms": None,
        "expandos": {"count": np.ones(len(space), np.int64)},
        "__numpys": ["vectors"],
        "__scipys": [],
        "__ignoreds": [],
        "__recursive_saveloads": [],
    }
    (folder / "state.pickle").write_bytes(pickle.dumps(state))
    (folder / "v.kv").write_bytes(keyed_vectors(state))


def _read_gensim_state(folder: Path) -> None:
    """Read the mutated file, which has the name of the pickled state."""
    _check_vectors(folder / "state.pickle")


def _copy_golden(*names: str) -> Callable[[Path], None]:
    def copy(folder: Path) -> None:
        for name in names:
            shutil.copy(GOLDEN / name, folder)

    return copy


def _write_cached(folder: Path) -> None:
    save_embeddings(_space(), folder / "v.vec")
    load_embeddings(folder / "v.vec", cache=folder / "cache")


# Lexicons and dictionaries.


def _save_dictionary(name: str) -> Callable[[Path], None]:
    entries = [
        DictionaryEntry("dog", "chien", 0.9, 0.5, 1, 1, "seed", "m"),
        DictionaryEntry("dog", "chienne", 0.2, 0.4, 2, 1),
        DictionaryEntry("hot dog", "été", 0.5, 0.3, 1, 3, "reviewed", "m"),
    ]
    metadata = DictionaryMetadata(
        source_language="en",
        target_language="fr",
        title="A title",
        license="MIT",
        manifest={"bilex": "1.0", "settings": {"k": 5, "list": [1, 0.5, None, True]}},
    )
    return lambda folder: _write(folder / name, entries, metadata)


def _write(path: Path, entries: list[DictionaryEntry], metadata: DictionaryMetadata) -> None:
    write_dictionary(entries, path, metadata)


def _copy_people(name: str) -> Callable[[Path], object]:
    return lambda folder: shutil.copy(PEOPLE / name, folder)


def _save_lexicon(name: str) -> Callable[[Path], None]:
    entries = (Entry("dog", "chien", 0.5, "me"), Entry("cat", "chat", 2.0), Entry("a b", "été"))
    return lambda folder: write_lexicon(Lexicon(entries), folder / name)


def _read_both(name: str) -> Callable[[Path], None]:
    def read(folder: Path) -> None:
        path = folder / name
        with suppress(BilexError):
            lexicon = read_lexicon(path)
            assert all(entry.source and entry.target for entry in lexicon.entries)
        dictionary = read_dictionary(path)
        assert dictionary.entries
        assert repr(dictionary)
        json.dumps([entry.to_dict() for entry in dictionary.entries], allow_nan=False)
        json.dumps(dictionary.metadata.to_dict(), allow_nan=False)

    return read


def _pack_stardict(folder: Path) -> None:
    """Write a StarDict folder whose index and articles are compressed."""
    _save_dictionary("d.stardict")(folder)
    for end, packed in ((".idx", ".idx.gz"), (".dict", ".dict.dz")):
        path = folder / "d.stardict" / f"en-fr{end}"
        path.with_name(f"en-fr{packed}").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        path.unlink()


# Models, checkpoints, settings.


def _tiny_twins() -> Twins:
    return make_twins(12, dim=3)


def _save_model(folder: Path) -> None:
    twins = _tiny_twins()
    inducer = LexiconInducer("procrustes")
    inducer.fit(twins.source, twins.target, twins.lexicon).model_.save(folder / "m")


def _save_calibrated(folder: Path) -> None:
    calibrated_model().save(folder / "m")


def _use_model(folder: Path) -> None:
    model = bilex.load(folder / "m")
    for reverse in (False, True):
        words = model.vocabulary(reverse=reverse).space.words[:2]
        for found in model.translate(words, k=2, reverse=reverse):
            json.dumps(found.to_dict())
    assert len(repr(model)) < 1_000
    json.dumps(model.to_dict())


def _save_answers(folder: Path) -> None:
    calibrated_model().with_answers().save(folder / "m")


def _use_answers(folder: Path) -> None:
    """Look words up as the command does, then load the model that they belong to."""
    for reverse in (False, True):
        known = known_answers(folder / "m", reverse=reverse)
        if known is not None:
            for found in known.translate(known.words[:2], 3):
                json.dumps(found.to_dict())
    _use_model(folder)


def _use_model_of_these_words(folder: Path) -> None:
    """Load with the right hashes, so that changed vocabularies get past the first check."""
    manifest = json.loads((folder / "m" / "manifest.json").read_text())
    for side in ("source", "target"):
        with suppress(OSError, UnicodeDecodeError):
            words = (folder / "m" / f"{side}.txt").read_bytes().decode().split("\n")[:-1]
            manifest[side] |= {"sha256": sha256_of_words(tuple(words))}
    (folder / "m" / "manifest.json").write_text(json.dumps(manifest))
    _use_model(folder)


def _checkpoint(folder: Path) -> Checkpoint:
    return Checkpoint(folder / "run.safetensors", "a run")


def _write_checkpoint(folder: Path) -> None:
    mapping = LinearMap(torch.eye(3), {"singular_values": [1.0, 1.0, 1.0]})
    state = torch.Generator().get_state()
    _checkpoint(folder).write(Round(1, 3, {"forward": mapping}, "forward", 12, state))


def _restore(folder: Path) -> None:
    """Use the round as a strategy does."""
    done = _checkpoint(folder).read()
    torch.Generator().set_state(done.rng_state)
    assert torch.isfinite(done.maps[done.best].apply(torch.eye(3))).all()
    assert 0 <= done.number <= done.total


def _write_preset(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / "method.toml").write_text(to_toml(load_preset(name)))


def _check_settings(folder: Path) -> None:
    path = folder / "method.toml"
    LexiconInducer(str(path)).check()
    build_parts(tomllib.loads(path.read_text(encoding="utf-8")))


def _write_suite(folder: Path) -> None:
    (folder / "suite.toml").write_text(SUITE)


_MANIFEST = {".manifest.json": json_file}

READERS = (
    Reader(
        "safetensors vectors",
        _save_vectors("v.safetensors"),
        {"v.safetensors": safetensors_header},
        _load_vectors("v.safetensors"),
        90,
    ),
    Reader("gensim state", _write_gensim, {"state.pickle": gensim_state}, _read_gensim_state, 100),
    Reader("gensim opcodes", _write_gensim, {"v.kv": pickle_opcodes}, _load_vectors("v.kv"), 80),
    Reader(
        "gensim of two files",
        _copy_golden("gensim-apart.kv", "gensim-apart.kv.vectors.npy"),
        {".kv": pickle_opcodes, ".npy": words_and_numbers},
        _load_vectors("gensim-apart.kv"),
        40,
    ),
    Reader(
        "store",
        _save_vectors("store"),
        {"manifest.json": json_file, "words.txt": some_bytes, "vectors.npy": words_and_numbers},
        _load_vectors("store"),
        60,
    ),
    Reader(
        "cache",
        _write_cached,
        {"manifest.json": json_file, "vectors.npy": binary_numbers},
        lambda folder: _check_vectors(folder / "v.vec", folder / "cache"),
        30,
    ),
    Reader(
        "text vectors",
        _save_vectors("v.vec"),
        {"v.vec": words_and_numbers},
        _load_vectors("v.vec"),
        40,
    ),
    Reader(
        "word2vec binary",
        _save_vectors("v.bin"),
        {"v.bin": words_and_numbers},
        _load_vectors("v.bin"),
        50,
    ),
    Reader(
        "fastText binary",
        _copy_golden("gensim-fasttext.bin"),
        {".bin": binary_numbers},
        _load_vectors("gensim-fasttext.bin"),
        60,
    ),
    Reader(
        "StarDict",
        _save_dictionary("d.stardict"),
        {
            ".ifo": words_and_numbers,
            ".idx": stardict_index,
            ".dict": words_and_numbers,
            **_MANIFEST,
        },
        _read_both("d.stardict"),
        50,
    ),
    Reader(
        "StarDict, compressed",
        _pack_stardict,
        {".ifo": words_and_numbers, ".idx.gz": gzipped(stardict_index), ".dict.dz": some_bytes},
        _read_both("d.stardict"),
        30,
    ),
    Reader(
        "JSON Lines lexicon",
        _save_lexicon("l.jsonl"),
        {".jsonl": json_lines},
        _read_both("l.jsonl"),
        40,
    ),
    Reader(
        "JSON Lines dictionary",
        _save_dictionary("d.jsonl"),
        {".jsonl": json_lines, **_MANIFEST},
        _read_both("d.jsonl"),
        50,
    ),
    Reader(
        "TSV",
        _save_dictionary("d.tsv"),
        {".tsv": words_and_numbers, **_MANIFEST},
        _read_both("d.tsv"),
        40,
    ),
    Reader(
        "CSV",
        _save_dictionary("d.csv"),
        {".csv": words_and_numbers, **_MANIFEST},
        _read_both("d.csv"),
        40,
    ),
    Reader(
        "xlsx of bilex",
        _save_dictionary("d.xlsx"),
        {".xlsx": zipped({"xl/worksheets/sheet1.xml": sheet_file, "xl/workbook.xml": xml_file})},
        _read_both("d.xlsx"),
        40,
    ),
    Reader(
        "xlsx of LibreOffice",
        _copy_people("libreoffice-reviewed.xlsx"),
        {
            ".xlsx": zipped(
                {
                    "xl/worksheets/sheet1.xml": sheet_file,
                    "xl/sharedStrings.xml": sheet_file,
                    "xl/_rels/workbook.xml.rels": xml_file,
                }
            )
        },
        _read_both("libreoffice-reviewed.xlsx"),
        40,
    ),
    Reader(
        "ods",
        _copy_people("libreoffice-list.ods"),
        {".ods": zipped({"content.xml": sheet_file})},
        _read_both("libreoffice-list.ods"),
        40,
    ),
    Reader(
        "CSV in Windows-1252",
        _copy_people("windows-1252.csv"),
        {".csv": encoded("cp1252", words_and_numbers)},
        _read_both("windows-1252.csv"),
        40,
    ),
    Reader(
        "TSV in UTF-16",
        _copy_people("excel-unicode-text.txt"),
        {".txt": encoded("utf-16", words_and_numbers)},
        _read_both("excel-unicode-text.txt"),
        40,
    ),
    Reader(
        "CSV with lists, comments and reviews",
        _copy_people("empty-cells.csv"),
        {".csv": words_and_numbers},
        _read_both("empty-cells.csv"),
        20,
    ),
    Reader("TBX", _save_dictionary("d.tbx"), {".tbx": xml_file}, _read_both("d.tbx"), 40),
    Reader("TEI", _save_dictionary("d.tei"), {".tei": xml_file}, _read_both("d.tei"), 40),
    Reader(
        "Parquet",
        _save_dictionary("d.parquet"),
        {".parquet": parquet_file},
        _read_both("d.parquet"),
        20,
    ),
    Reader(
        "model",
        _save_model,
        {
            "config.toml": toml_file,
            "manifest.json": json_file,
            "report.json": json_file,
            "tensors.safetensors": safetensors_header,
            "seeds.jsonl": json_lines,
            "source.txt": some_bytes,
        },
        _use_model,
        25,
    ),
    Reader(
        "calibrated model",
        _save_calibrated,
        {
            "candidates.json": json_file,
            "candidates.safetensors": safetensors_header,
            "tensors.safetensors": safetensors_header,
        },
        _use_model,
        15,
    ),
    Reader(
        "answers of a model",
        _save_answers,
        {"answers.safetensors": safetensors_header, "manifest.json": json_file},
        _use_answers,
        15,
    ),
    Reader(
        "vocabulary of a model",
        _save_model,
        {"source.txt": words_and_numbers, "target.txt": some_bytes},
        _use_model_of_these_words,
        10,
    ),
    Reader(
        "checkpoint",
        _write_checkpoint,
        {"run.safetensors": safetensors_header},
        _restore,
        40,
    ),
    Reader("settings", _write_preset("bilex"), {"method.toml": toml_file}, _check_settings, 10),
    Reader(
        "benchmark suite",
        _write_suite,
        {"suite.toml": toml_file},
        lambda folder: expand(load_suite(str(folder / "suite.toml")), None),
        10,
    ),
)
