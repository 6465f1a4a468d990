from __future__ import annotations

import json
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bilex import fit, load, load_embeddings
from bilex.errors import SettingError
from bilex.model.aligned_vectors import AlignedFormat, AlignedVectors
from bilex.model.folder import ModelContents, read_model
from bilex.storage.hashes import sha256_of
from bilex.values import EmbeddingSpace, Lexicon, unit_rows
from twins import make_twins

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # raised by what gensim imports
    models = pytest.importorskip("gensim.models")
yaml = pytest.importorskip("yaml")

FILES: dict[AlignedFormat, tuple[str, str]] = {
    "vec": ("en.vec", "fr.vec"),
    "bin": ("en.bin", "fr.bin"),
    "kv": ("en.kv", "fr.kv"),
    "safetensors": ("en.safetensors", "fr.safetensors"),
    "hf": ("en", "fr"),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ModelContents:
    """Return a model of spaces with different dimensions: its map is not a rotation."""
    twins = make_twins(300, source_dim=12, dim=8)
    folder = tmp_path_factory.mktemp("model") / "m"
    fit(twins.source, twins.target, twins.lexicon, preset="procrustes").save(folder)
    return read_model(folder)


def write(model: ModelContents, folder: Path, format: AlignedFormat, limit: int | None) -> Path:
    names = AlignedVectors(format=format, source_name="en", target_name="fr", limit=limit)
    names.write(model, folder)
    return folder


@pytest.mark.parametrize("format", FILES)
@pytest.mark.parametrize("limit", [None, 70])
def test_both_languages_are_read_back_in_one_space(
    model: ModelContents, tmp_path: Path, format: AlignedFormat, limit: int | None
) -> None:
    folder = write(model, tmp_path / "out", format, limit)
    source, target = (load_embeddings(folder / name) for name in FILES[format])
    assert source.words == model.source.words[:limit]
    assert target.words == model.target.words[:limit]
    assert source.dim == target.dim == 8
    mapped = unit_rows(model.mapping.apply(model.source.vectors))[:limit]
    torch.testing.assert_close(source.vectors, mapped)
    torch.testing.assert_close(target.vectors, unit_rows(model.target.vectors)[:limit])


def test_every_format_holds_the_same_bits(model: ModelContents, tmp_path: Path) -> None:
    found = []
    for format, (name, _) in FILES.items():
        folder = write(model, tmp_path / format, format, None)
        found.append(load_embeddings(folder / name).vectors)
    assert all(vectors.equal(found[0]) for vectors in found)


@pytest.mark.filterwarnings("ignore")  # gensim's own
@pytest.mark.parametrize("format", ["vec", "bin", "kv"])
def test_gensim_loads_them_and_finds_the_translation(tmp_path: Path, format: AlignedFormat) -> None:
    twins = make_twins(200)
    fit(twins.source, twins.target, twins.lexicon, preset="procrustes").save(tmp_path / "m")
    folder = write(read_model(tmp_path / "m"), tmp_path / "out", format, None)
    source, target = (
        models.KeyedVectors.load(str(folder / name), mmap="r")
        if format == "kv"
        else models.KeyedVectors.load_word2vec_format(folder / name, binary=format == "bin")
        for name in FILES[format]
    )
    for word in ("s0", "s7", "s199"):
        assert target.similar_by_vector(source[word], topn=1)[0][0] == "t" + word[1:]
    assert np.allclose(np.linalg.norm(source.vectors, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("format", FILES)
def test_the_manifest_tells_what_is_there_and_bytes_repeat(
    model: ModelContents, tmp_path: Path, format: AlignedFormat
) -> None:
    one, two = (write(model, tmp_path / name, format, 50) for name in ("one", "two"))
    manifest = json.loads((one / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["source"]["words"] == manifest["target"]["words"] == 50
    assert manifest["model"]["seeds"] == 300
    assert manifest["settings"]["format"] == format
    files = {
        path.relative_to(one).as_posix(): path
        for path in one.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }
    assert manifest["files"] == {
        name: {"bytes": path.stat().st_size, "sha256": sha256_of(path)}
        for name, path in files.items()
    }
    for name in (*files, "manifest.json"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_progress_counts_both_languages(model: ModelContents, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    AlignedVectors().write(
        model, tmp_path / "out", on_block=lambda done, total: seen.append((done, total))
    )
    assert seen == sorted(seen)
    assert seen[-1] == (600, 600)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "manifest.json", "source.vec", "target.vec",
    }  # fmt: skip


def test_only_aligned_vectors_are_replaced(model: ModelContents, tmp_path: Path) -> None:
    for format in ("vec", "hf"):
        write(model, tmp_path / "out", format, None)
    assert (tmp_path / "out" / "README.md").is_file()
    assert not (tmp_path / "out" / "en.vec").exists()
    (tmp_path / "empty").mkdir()
    write(model, tmp_path / "empty", "vec", 5)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious").touch()
    with pytest.raises(SettingError, match="has other files than aligned vectors"):
        write(model, tmp_path / "full", "vec", 5)
    with pytest.raises(SettingError, match="is a file"):
        write(model, tmp_path / "full" / "precious", "vec", 5)


def test_a_model_is_never_replaced_by_its_own_vectors(tmp_path: Path) -> None:
    twins = make_twins(30)
    fit(twins.source, twins.target, twins.lexicon, preset="procrustes").save(tmp_path / "m")
    with pytest.raises(SettingError, match="other files"):
        AlignedVectors().write(read_model(tmp_path / "m"), tmp_path / "m")
    assert load(tmp_path / "m")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "parquet"}, "expected: vec, bin, kv, safetensors, hf"),
        ({"source_name": "../en"}, "cannot be a file name"),
        ({"source_name": ""}, "cannot be a file name"),
        ({"target_name": "Source"}, "both languages are called"),
        ({"limit": 0}, "limit is 0"),
        ({"license": "MIT"}, "choose the format 'hf'"),
        ({"scores": {}}, "choose the format 'hf'"),
    ],
)
def test_settings_are_checked_before_anything_is_written(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        AlignedVectors(**changes)  # type: ignore[arg-type]


def test_words_that_a_format_cannot_hold_are_refused_first(tmp_path: Path) -> None:
    words = ("new york", "b", "c")
    space = EmbeddingSpace(words, torch.eye(3))
    lexicon = Lexicon.of([(word, word) for word in words])
    fit(space, space, lexicon, preset="procrustes").save(tmp_path / "m")
    with pytest.raises(SettingError, match="'new york', contains ' '"):
        write(read_model(tmp_path / "m"), tmp_path / "out", "bin", None)
    assert not (tmp_path / "out").exists()


SCORES = {
    "csls": {"p_at_1": 0.62, "p_at_5": 0.79, "p_at_10": 0.84, "mrr": 0.7},
    "covered": 1242, "total": 2000, "coverage": 0.621, "copy_baseline": 0.12,
    "rules": "vecmap", "primary": "csls", "depth": 10, "leaked_pairs": 3,
}  # fmt: skip


def published(model: ModelContents, folder: Path, **settings: object) -> str:
    given = {"source_name": "en", "target_name": "no", **settings}
    AlignedVectors(format="hf", **given).write(model, folder)  # type: ignore[arg-type]
    return (folder / "README.md").read_text(encoding="utf-8")


def front_matter(card: str) -> dict[str, object]:
    loaded = yaml.safe_load(card.split("---\n")[1])
    assert isinstance(loaded, dict)
    return loaded


def test_the_card_states_what_is_known(model: ModelContents, tmp_path: Path) -> None:
    card = published(model, tmp_path / "out", license="CC-BY-SA-4.0", scores=SCORES)
    assert front_matter(card) == {
        "language": ["en", "no"],
        "license": "cc-by-sa-4.0",
        "library_name": "bilex",
        "tags": ["word-embeddings", "cross-lingual", "bilingual-lexicon-induction"],
    }
    known = ("300 seed pairs", "procrustes", "1,242 of 2,000", "| csls | 62.00% |", "are too high")
    for fact in known:
        assert fact in card
    config = json.loads((tmp_path / "out" / "config.json").read_text(encoding="utf-8"))
    assert config["languages"]["no"]["words"] == 300
    plain = published(model, tmp_path / "out", source_name="source", target_name="target")
    assert front_matter(plain)["license"] == "unknown"
    assert "language" not in front_matter(plain)
    assert "## Scores\n\nNot measured." in plain
    assert "%" not in plain.split("## Scores")[1]


def test_the_card_has_scores_by_spelling_similarity(model: ModelContents, tmp_path: Path) -> None:
    bands = {"0-0.3": {"p_at_1": 0.5, "n": 1200}, "0.7-1": {"p_at_1": 0.75, "n": 42}}
    csls = {"p_at_1": 0.62, "p_at_5": 0.79, "p_at_10": 0.84, "mrr": 0.7, "by_spelling": bands}
    card = published(model, tmp_path / "out", scores={**SCORES, "csls": csls})
    assert "| | 0-0.3 (1,200 units) | 0.7-1 (42 units) |\n|---|---|---|\n" in card
    assert "| csls | 50.00% | 75.00% |\n" in card


def test_the_card_does_not_hide_what_went_wrong(model: ModelContents, tmp_path: Path) -> None:
    report = replace(model.report, finished=False, warnings=("seeds look wrong",), seeds=None)
    odd = replace(model, report=report, seeds=Lexicon(()))
    card = published(odd, tmp_path / "out")
    warning = "Warning from training: seeds look wrong"
    for fact in ("was interrupted", warning, "without seed pairs"):
        assert fact in card


def test_a_license_must_be_a_name(model: ModelContents, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="expected a name such as CC-BY-SA-4"):
        published(model, tmp_path / "out", license="mine: all mine")
    assert not (tmp_path / "out").exists()


def test_the_snippets_of_the_card_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    twins = make_twins(30)
    fit(twins.source, twins.target, twins.lexicon, preset="procrustes").save(tmp_path / "m")
    card = published(read_model(tmp_path / "m"), tmp_path / "out")
    snippets = re.findall(r"```python\n(.*?)```", card, flags=re.DOTALL)
    assert [len(re.findall(r"^\S", snippet, flags=re.MULTILINE)) for snippet in snippets] == [5, 2]
    monkeypatch.chdir(tmp_path / "out")
    found: dict[str, object] = {}
    for snippet in snippets:
        exec(snippet, found)  # noqa: S102 - the card's own text
    assert capsys.readouterr().out == "s0 is most similar to t0\n"
    source = found["source"]
    assert isinstance(source, EmbeddingSpace)
    assert source.words == twins.source.words


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    words=st.lists(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=4).filter(
            lambda word: "\n" not in word
        ),
        min_size=1,
        max_size=4,
        unique=True,
    )
)
def test_any_vocabulary_survives_in_a_shared_folder(
    model: ModelContents, words: list[str], tmp_path: Path
) -> None:
    space = EmbeddingSpace(tuple(words), torch.ones(len(words), 12))
    write(replace(model, source=space), tmp_path / "out", "hf", None)
    assert load_embeddings(tmp_path / "out" / "en").words == tuple(words)
    listed = (tmp_path / "out" / "en" / "vocab.txt").read_bytes().decode().split("\n")[:-1]
    assert listed == words
