"""Seed lists as lexicographers make them, from `bilex fit` to its messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from bilex.cli.loading import load_lexicon, load_space
from bilex.embeddings import save_embeddings
from bilex.errors import LexiconFileError
from bilex.values import EmbeddingSpace
from conftest_types import Bilex
from topic_text import write_topics

ENGLISH = ("dog", "cat", "house", "water", "symbol", "go", "eat", "summer", "head", "child")
FRENCH = ("chien", "chat", "maison", "eau", "symbole", "aller", "manger", "été", "tête", "enfant")
SPANISH = ("perro", "gato", "casa", "agua", "símbolo", "ir", "comer", "verano", "cabeza", "niño")
TAGS = ("n.", "n.", "n.", "n.", "n.", "v.", "v.", "n.", "n.", "n.")
FIT = ("fit", "en.vec", "fr.vec", "seeds.csv", "-o", "m", "--preset", "procrustes", "--no-cache")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write vectors of ten words in three languages."""
    vectors = torch.randn(10, 4, generator=torch.Generator().manual_seed(0))
    for name, words in (("en", ENGLISH), ("fr", FRENCH), ("es", SPANISH)):
        save_embeddings(EmbeddingSpace(words, vectors), tmp_path / f"{name}.vec")
    return tmp_path


def write(folder: Path, lines: list[str], *, encoding: str = "utf-8") -> None:
    (folder / "seeds.csv").write_bytes("\n".join(lines).encode(encoding))


def test_a_column_of_parts_of_speech_is_not_used(bilex: Bilex, folder: Path) -> None:
    rows = [";".join(row) for row in zip(ENGLISH, FRENCH, TAGS, strict=True)]
    write(folder, ["English;French;Part of speech", *rows], encoding="cp1252")
    done = bilex(*FIT)

    assert done.code == 0
    assert done.err.splitlines()[0] == (
        "seeds.csv (CSV, Windows-1252, columns English → French): 10 rows read, 10 pairs; "
        "not used: column Part of speech"
    )
    assert "seeds.csv: 10 of 10 pairs usable" in done.err
    assert not (folder / "m" / "seeds_left_out.tsv").exists()


def test_a_target_of_very_many_words_is_an_error(bilex: Bilex, folder: Path) -> None:
    write(folder, [f"word{n},mot{n},subst. comm. m. sg." for n in range(150)])
    done = bilex(*FIT, "--columns", "source=1,target=2")
    assert "150 rows read, 150 pairs; not used: column 3" in done.err

    write(folder, ["source,target,target", *(f"w{n},mot{n},subst. comm. sg." for n in range(150))])
    done = bilex(*FIT)
    assert (done.code, done.err) == (
        2,
        "bilex: seeds.csv: 'subst. comm. sg.' is the translation of 150 different words, such as "
        "'w0': is a column with parts of speech or notes taken for translations? Name the columns "
        "that hold the words, for example --columns source=1,target=2\n",
    )


def test_several_translations_in_a_cell_are_split(bilex: Bilex, folder: Path) -> None:
    write(folder, ['dog,"chien; enfant"', 'cat,"chat, maison"', 'head,"tête, été"', "go,aller"])
    done = bilex(*FIT)

    assert done.err.splitlines()[0] == (
        "seeds.csv (CSV): 4 rows read, 7 pairs, 3 cells with several translations split"
    )
    assert "seeds.csv: 7 of 7 pairs usable" in done.err


def test_other_columns_are_reported(bilex: Bilex, folder: Path) -> None:
    write(folder, ["source,target,weight,pos", "dog,chien,0.5,n", "cat,chat,,n"])
    done = bilex(*FIT)

    assert done.err.splitlines()[0] == (
        "seeds.csv (CSV, columns source → target): 2 rows read, 2 pairs; not used: column pos"
    )


def test_an_id_is_not_a_word(bilex: Bilex, folder: Path) -> None:
    rows = [f"{n},{a},{b}" for n, (a, b) in enumerate(zip(ENGLISH, FRENCH, strict=True), 1)]
    write(folder, ["ID,English,French", *rows])
    done = bilex(*FIT)

    assert done.err.splitlines()[0] == (
        "seeds.csv (CSV, columns English → French): 10 rows read, 10 pairs; not used: column ID"
    )
    assert "seeds.csv: 10 of 10 pairs usable" in done.err


def test_articles_are_left_away_where_the_vectors_have_none(bilex: Bilex, folder: Path) -> None:
    write(folder, ["English;French", "the symbol;le symbole", "to go;aller", "water;l’eau"])
    for command in (FIT, ("inspect", "en.vec", "fr.vec", "seeds.csv", "--no-cache")):
        done = bilex(*command)
        assert (
            "seeds.csv: 4 words are used without article or particle (the symbol → symbol, "
            "le symbole → symbole, to go → go)\n"
        ) in done.err
    assert "seeds: 3 of 3 pairs usable" in done.out
    done = bilex("evaluate", "m", "seeds.csv")
    assert "seeds.csv: 4 words are used without article or particle" in done.err
    assert "3 of 3 test units covered" in done.out


def test_seeds_of_another_language_are_recognized(bilex: Bilex, folder: Path) -> None:
    rows = [f"{a},{b}" for a, b in zip(ENGLISH, FRENCH, strict=True)]
    rows += [f"{a},{b}s" for a, b in zip(ENGLISH, FRENCH, strict=True)]
    write(folder, [*rows, "dog,perro"])
    done = bilex("fit", "en.vec", "es.vec", *FIT[3:])

    assert (
        "warning: only 1 of the 10 most frequent source words of the lexicon have a translation "
        "among the 10 words of the target vectors, though 100% of these are single words: are "
        "these vectors of the language of the seeds?\n"
    ) in done.err


def test_rows_that_are_not_used_are_listed(bilex: Bilex, folder: Path) -> None:
    lines = ["# My seeds", "English,French", "dog,chien", "cat,", ",maison", "sea,mer", "go,aller"]
    write(folder, lines)
    done = bilex(*FIT)

    assert done.err.splitlines()[0] == (
        "seeds.csv (CSV, columns English → French): 6 rows read, 3 pairs; left out: 1 comment "
        "(line 1), 1 row without a translation (line 4), 1 row without a source word (line 5); "
        "list: m/seeds_left_out.tsv"
    )
    assert "4 rows and pairs of the seeds are not used: see m/seeds_left_out.tsv\n" in done.err
    assert (folder / "m" / "seeds_left_out.tsv").read_text("utf-8") == (
        "line\treason\trow\n"
        "1\tcomment\t# My seeds\n"
        "4\tno translation\tcat |\n"
        "5\tno source word\t| maison\n"
        "6\tneither word in the vectors\tsea | mer\n"
    )
    assert bilex(*FIT).code == 0  # a model with this file may be replaced
    found = json.loads(bilex("inspect", "en.vec", "fr.vec", "seeds.csv", "--json").out)
    assert [row["line"] for row in found["seeds"]["left_out"]] == [1, 4, 5]


def test_what_a_model_found_is_no_seed_before_a_review(bilex: Bilex, folder: Path) -> None:
    write(folder, [f"{a},{b}" for a, b in zip(ENGLISH[:6], FRENCH[:6], strict=True)])
    assert bilex(*FIT).code == 0
    assert bilex("induce", "m", "-o", "d.tsv").code == 0
    fit = ("fit", "en.vec", "fr.vec", "d.tsv", "-o", "m2", *FIT[6:])
    done = bilex(*fit)
    assert (
        "d.tsv (TSV, columns source → target): 10 rows read, 6 pairs; --unreviewed also uses "
        "induced entries; left out: 4 induced entries that nobody reviewed (lines 8, 9, 10, …); "
        "list: m2/seeds_left_out.tsv\n"
    ) in done.err
    done = bilex(*fit, "--unreviewed")
    assert "d.tsv (TSV, columns source → target): 10 rows read, 10 pairs\n" in done.err
    assert bilex("translate", "m2", "dog").code == 0


def test_choices_of_columns_need_seeds(bilex: Bilex, folder: Path) -> None:
    done = bilex("fit", "en.vec", "fr.vec", "-o", "m", "--unreviewed")

    assert (done.code, done.err) == (
        2,
        "bilex: --columns, --pair and --unreviewed are for a file of seeds: give one\n",
    )


WIKTIONARY = """\
{"word": "s1", "lang_code": "en", "pos": "n", "translations": [{"lang_code": "fr", "word": "t1"}]}
{"word": "s2", "lang_code": "en", "pos": "n", "translations": [{"lang_code": "fr", "word": "t2"}]}
"""


def test_a_published_dictionary_needs_the_languages(tmp_path: Path) -> None:
    seeds = tmp_path / "kaikki.jsonl"
    seeds.write_text(WIKTIONARY)
    with pytest.raises(LexiconFileError) as caught:
        load_lexicon(seeds, lowercase=False)
    assert caught.value.problem == (
        "is a dictionary of several languages (wiktionary), expected word pairs: choose two "
        "languages with --pair, such as --pair en-fi"
    )


def test_a_published_dictionary_is_read_with_its_languages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seeds = tmp_path / "kaikki.jsonl"
    seeds.write_text(WIKTIONARY.replace("t1", "T1"))
    lexicon = load_lexicon(seeds, lowercase=True, pair="en-fr")
    assert lexicon.translations == {"s1": ("t1",), "s2": ("t2",)}
    assert capsys.readouterr().err == (
        f"{seeds} (wiktionary): 2 entries read, 2 pairs en-fr, left out: nothing; license "
        "CC-BY-SA-4.0\n"
    )


def test_text_is_accepted_where_vectors_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = write_topics(tmp_path / "text.txt")
    space = load_space(text, limit=5, lowercase=False, cache=None)
    assert len(space) == 5
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("text.txt is text: training word vectors on it")
    assert said[-1] == f"text.txt: 5 words × {space.dim} (trained on text)"


def test_two_texts_are_trained_together(bilex: Bilex, tmp_path: Path) -> None:
    texts = [write_topics(tmp_path / f"{name}.txt", draw=draw) for draw, name in enumerate("ab")]
    seeds = tmp_path / "seeds.tsv"
    seeds.write_text("king\tking\nbread\tbread\nriver\triver\nqueen\tqueen\nsea\tsea\n")
    files = [str(path) for path in (*texts, seeds, "-o", tmp_path / "m")]
    said = bilex("fit", *files, "--preset", "procrustes").err
    assert "a.txt and b.txt are texts: training word vectors on both together" in said
    assert "b.txt: 26 words × 200 (trained on text)" in said


def test_seeds_in_other_case_are_used_and_counted(bilex: Bilex, folder: Path) -> None:
    write(folder, ["Dog,chien", "CAT,Chat", "house,maison", "To Eat,manger"])
    note = (
        "seeds.csv: 3 pairs are used in other upper or lower case "
        "(Dog → dog, CAT → cat, Chat → chat)"
    )
    done = bilex(*FIT)

    assert note in done.err
    assert "seeds.csv: 4 of 4 pairs usable" in done.err
    assert "lower-case" not in done.err
    done = bilex("inspect", "en.vec", "fr.vec", "seeds.csv", "--no-cache")
    assert note in done.err
    assert "seeds: 4 of 4 pairs usable" in done.out


def test_exact_case_leaves_seeds_out(bilex: Bilex, folder: Path) -> None:
    write(folder, ["Dog,chien", "cat,chat", "house,maison"])
    done = bilex(*FIT, "--exact-case")

    assert "seeds.csv: 2 of 3 pairs usable" in done.err
    assert "other upper or lower case" not in done.err
    assert "--lowercase" in done.err
    left_out = (folder / "m" / "seeds_left_out.tsv").read_text("utf-8")
    assert "source word not in the vectors\tDog | chien" in left_out
    done = bilex("inspect", "en.vec", "fr.vec", "seeds.csv", "--no-cache", "--exact-case")
    assert "seeds: 2 of 3 pairs usable" in done.out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("fit", "en.vec", "fr.vec", "-o", "m"), "--exact-case is for seeds or --decisions"),
        (("inspect", "en.vec", "fr.vec"), "--exact-case is for a file of seeds"),
    ],
)
def test_exact_case_needs_seeds(
    bilex: Bilex, folder: Path, command: tuple[str, ...], message: str
) -> None:
    done = bilex(*command, "--exact-case")

    assert done.code == 2
    assert message in done.err


def test_test_pairs_in_other_case_are_scored_on_request(bilex: Bilex, folder: Path) -> None:
    write(folder, ["Dog,chien", "cat,chat", "house,maison"])
    assert bilex(*FIT).code == 0
    (folder / "test.tsv").write_text("Water\teau\nchild\tenfant\nDOG\tChien\n", "utf-8")
    exact = bilex("evaluate", "m", "test.tsv")
    found = bilex("evaluate", "m", "test.tsv", "--any-case")
    folded = bilex("evaluate", "m", "test.tsv", "--rules", "muse")

    assert "rules vecmap: 1 of 3 test units covered" in exact.out
    assert "test.tsv: 2 more pairs are known in other upper or lower case" in exact.err
    assert "rules vecmap: 3 of 3 test units covered" in found.out
    assert "test.tsv: 2 pairs are used in other upper or lower case" in found.err
    assert "more pairs" not in folded.err
    for done in (exact, found, folded):  # of the seeds, Dog → chien is in the test
        assert "1 test pairs were also training pairs" in done.err
