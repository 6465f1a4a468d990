"""`bilex glossary` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest_types import Bilex

DICTIONARY = (
    "source\ttarget\tprobability\torigin\n"
    "the\tel\t0.9\tinduced\n"
    "dog\tperro\t0.97\tinduced\n"
    "dog\tcan\t0.3\tinduced\n"
    "dog\tgato\t0.9\trejected\n"
    "hot dog\tperrito caliente\t\treviewed\n"
    "network\tred\t0.6\tinduced\n"
)


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> Path:
    (tmp_path / "d.tsv").write_text(DICTIONARY, encoding="utf-8")
    (tmp_path / "a.txt").write_text(
        "The Networks of the\nhot  dog and the dog.\n", encoding="utf-8"
    )
    return tmp_path


def test_a_line_has_term_forms_how_and_translations(bilex: Bilex) -> None:
    done = bilex("glossary", "d.tsv", "a.txt")

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "the\tThe; the\texact\tel:0.90",
        "network\tNetworks\tsimilar\tred:0.60",
        "hot dog\thot dog\texact\tperrito caliente",
        "dog\tdog\texact\tperro:0.97",
    ]


def test_options_choose_terms_and_translations(bilex: Bilex) -> None:
    done = bilex("glossary", "d.tsv", "a.txt", "--max-terms", "2", "--no-similar")
    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["hot dog", "dog"]
    done = bilex("glossary", "d.tsv", "--min-probability", "0.2", stdin="dog")
    assert done.out == "dog\tdog\texact\tperro:0.97, can:0.30\n"
    done = bilex("glossary", "d.tsv", "-", "--min-probability", "0", "-k", "1", stdin="dog")
    assert done.out == "dog\tdog\texact\tperro:0.97\n"


def test_a_dictionary_is_used_in_both_directions(bilex: Bilex) -> None:
    done = bilex("glossary", "d.tsv", "--reverse", stdin="El can, el gato, el perro")
    assert done.out.splitlines() == ["el\tEl; el\texact\tthe:0.90", "perro\tperro\texact\tdog:0.97"]


def test_json_has_one_term_per_line(bilex: Bilex) -> None:
    done = bilex("glossary", "d.tsv", "a.txt", "--json")
    terms = [json.loads(line) for line in done.out.splitlines()]
    assert [term["term"] for term in terms] == ["the", "network", "hot dog", "dog"]
    assert terms[2] == {
        "term": "hot dog",
        "found": ["hot dog"],
        "how": "exact",
        "spans": [[20, 28]],
        "rank": 3,
        "targets": [{"word": "perrito caliente", "probability": None, "origin": "reviewed"}],
    }


def test_the_prompt_names_languages(bilex: Bilex) -> None:
    arguments = ("--prompt", "--source-language", "en", "--target-language", "es")
    done = bilex("glossary", "d.tsv", "a.txt", *arguments)
    lines = done.out.splitlines()
    assert lines[0] == "Glossary for the translation from English to Spanish."
    assert lines[-1] == '- "dog": "perro"'
    back = bilex("glossary", "d.tsv", "--prompt", "--reverse", stdin="perro")
    assert "from the source language to the target language" in back.out


def test_lemmas_are_read_from_a_file(bilex: Bilex) -> None:
    Path("lemmas.tsv").write_text("hounds\tdog\n", encoding="utf-8")
    done = bilex("glossary", "d.tsv", "--lemmas", "lemmas.tsv", stdin="Hot hounds, hounds")
    assert done.out.splitlines() == [
        "hot dog\tHot hounds\tlemma\tperrito caliente",
        "dog\thounds\tlemma\tperro:0.97",
    ]


def test_a_text_without_terms_is_noted(bilex: Bilex) -> None:
    done = bilex("glossary", "d.tsv", stdin="nothing\n")
    assert (done.code, done.out) == (0, "")
    assert done.err == "found no term of the dictionary in the text\n"


def test_a_model_without_probabilities(bilex: Bilex, model: Path) -> None:
    answers = bilex("translate", "m", "s7", "-k", "2").out.split()[1:]
    done = bilex("glossary", "m", "-k", "2", stdin="S7, x")
    assert done.out == f"s7\tS7\tcase\t{', '.join(answers)}\n"
    back = bilex("glossary", "m", "-k", "1", "--reverse", "--json", stdin="t0")
    assert json.loads(back.out)["targets"] == [
        {"word": "s0", "probability": None, "origin": "seed"}
    ]
    refused = bilex("glossary", "m", "--min-probability", "0.5", stdin="s7")
    assert refused.code == 2
    assert "probabil" in refused.err


def test_a_model_gives_the_same_with_and_without_kept_answers(bilex: Bilex, model: Path) -> None:
    first = bilex("glossary", "m", "--json", stdin="s1 s7 s30")
    assert len(first.out.splitlines()) == 3
    answers = model / "answers.safetensors"
    if answers.exists():
        answers.unlink()
    else:
        pytest.skip("this model keeps no answers")
    assert bilex("glossary", "m", "--json", stdin="s1 s7 s30").out == first.out


def test_mistakes_are_one_line(bilex: Bilex, files: Path) -> None:
    (files / "latin.txt").write_bytes(b"good\ncaf\xe9\n")
    for arguments, message in {
        ("a.txt", "--prompt", "--json"): "--prompt and --json are two forms of the output: give "
        "one of them",
        ("a.txt", "--source-language", "en"): "--source-language and --target-language are for "
        "--prompt: add it",
        ("b.txt",): "b.txt: No such file or directory; expected a text file, or -",
        ("latin.txt",): "latin.txt, line 2: is not UTF-8 text: convert it",
    }.items():
        done = bilex("glossary", "d.tsv", *arguments)
        assert (done.code, done.err) == (2, f"bilex: {message}\n")
