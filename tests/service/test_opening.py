from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

import pytest

from bilex import fit
from bilex.errors import SettingError
from bilex.review.decisions import is_sqlite_file
from bilex.review.events import Event, Shown
from bilex.review.store import ReviewStore
from bilex.service import serving
from bilex.service.places import default_database, languages_of_name
from bilex.service.serving import listen_here
from bilex.service.workbench.evidence import Evidence
from bilex.service.workbench.opening import open_project, prioritize, read_material
from bilex.text.index import TextIndex
from conftest_types import Bilex
from twins import Twins, make_twins

TABLE = (
    "source,target,probability,origin\n"
    "house,بيت,0.9,induced\nhouse,منزل,0.7,induced\nwater,ماء,,seed\n"
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "en-ar.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def save_model(folder: Path, twins: Twins, *, answers: bool = True) -> Path:
    model = fit(twins.source, twins.target, twins.lexicon, preset="procrustes")
    (model.with_answers() if answers else model).save(folder)
    return folder


def accepted(word: str, target: str) -> Event:
    at = "2026-01-01T00:00:00.000000Z"
    return Event(id=word, at=at, reviewer="me", word=word, kind="accept", targets=(target,))


def test_a_dictionary_becomes_a_project_beside_it(table: Path) -> None:
    opened = open_project(table)
    with opened.store as store:
        assert opened.is_new
        assert (store.project.source_language, store.project.target_language) == ("en", "ar")
        assert [item.word.word for item in store.items()] == ["house", "water"]
        house, water = (item.word for item in store.items())
        assert [(c.target, c.probability) for c in house.candidates] == [
            ("بيت", 0.9), ("منزل", 0.7)
        ]  # fmt: skip
        assert water.candidates[0].origin == "seed"
        store.add([accepted("house", "بيت")])
    assert default_database(table).name == "en-ar.csv.review.sqlite"

    for again in (table, default_database(table)):
        reopened = open_project(again)
        with reopened.store as store:
            assert not reopened.is_new
            assert store.counts().decided == 1


def test_a_file_without_origins_is_a_dictionary_not_seeds(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text("dog\tchien\n", encoding="utf-8")

    (word,) = read_material(path).words
    assert word.candidates[0].origin == "dictionary"


@pytest.mark.parametrize("answers", [True, False])
def test_the_words_of_a_model_come_by_frequency_with_their_candidates(
    tmp_path: Path, twins: Twins, answers: bool
) -> None:
    folder = save_model(tmp_path / "en-es", twins, answers=answers)

    found = read_material(folder)

    assert [word.word for word in found.words] == list(twins.source.words)
    assert [word.rank for word in found.words] == list(range(60))
    assert all(word.candidates[0].target == f"t{word.rank}" for word in found.words)
    assert {word.candidates[0].origin for word in found.words} == {"seed"}
    assert max(len(word.candidates) for word in found.words) == 9
    assert (found.project.source_language, found.project.target_language) == ("en", "es")
    assert found.project.model


def test_another_model_keeps_all_decisions(tmp_path: Path, twins: Twins) -> None:
    folder = save_model(tmp_path / "m", twins)
    with open_project(folder).store as store:
        store.add([accepted("s1", "t1")])
        seed, model = store.project.seed, store.project.model
    save_model(folder, make_twins(70, draw=1))

    opened = open_project(folder, title="Second")
    with opened.store as store:
        assert opened.changes is not None
        assert opened.changes.added == 10
        assert store.item("s1").entry.targets == ("t1",)  # type: ignore[union-attr]
        assert (store.project.seed, store.project.title) == (seed, "Second")
        assert store.project.model != model
    assert open_project(folder).changes is None


def test_every_policy_gives_priorities(table: Path) -> None:
    with open_project(table).store as store:
        for policy in ("value", "frequency", "random"):
            assert not store.has_priorities(policy)
            prioritize(store, policy)
            assert store.has_priorities(policy)
        assert store.next_word("frequency", "me").word.word == "house"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("en-es", ("en", "es")), ("en_fi.tsv", ("en", "fi")), ("EN-FR", ("en", "fr")),
     ("model", ("", "")), ("my-best", ("", "")), ("en-espresso", ("", ""))],
)  # fmt: skip
def test_languages_are_found_in_names(name: str, expected: tuple[str, str]) -> None:
    assert languages_of_name(name) == expected


def test_evidence_has_sentences_and_near_words(tmp_path: Path, twins: Twins) -> None:
    folder = save_model(tmp_path / "m", twins)
    texts = []
    for side in "st":
        text = tmp_path / f"{side}.txt"
        text.write_text(f"A sentence with {side}1 in it.\nAnother line with {side}2.\n")
        texts.append(TextIndex.build([text], tmp_path / f"{side}.index"))
    with open_project(folder).store as store, texts[0] as source, texts[1] as target:
        evidence = Evidence(source, target, folder)
        evidence.wait()
        found = evidence.about(store.item("s1"))  # type: ignore[arg-type]

    assert found.occurrences == 1
    assert [example.word for example in found.source_examples] == ["s1"]
    assert found.candidates[0].target == "t1"
    assert found.candidates[0].examples[0].left == "A sentence with "
    assert len(found.source_near) == len(found.candidates[0].near) == 8
    assert "s1" not in found.source_near


def test_a_damaged_model_leaves_the_review_without_near_words(
    table: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    evidence = Evidence(model=tmp_path / "none")
    evidence.wait()
    with open_project(table).store as store:
        assert evidence.about(store.item("house")).source_near == ()  # type: ignore[arg-type]
    assert "no nearest words" in caplog.text


def test_a_port_that_is_in_use_is_reported_or_another_is_taken() -> None:
    with listen_here(0, 0) as first:
        port = first.getsockname()[1]
        assert first.getsockname()[0] == "127.0.0.1"
        with pytest.raises(SettingError, match=f"port {port} is in use"):
            listen_here(port, 0)
        with listen_here(None, port) as second:
            assert second.getsockname()[1] != port


def test_the_command_opens_the_project_and_prints_the_address(
    bilex: Bilex, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(serving, "serve", lambda app, socket, **rest: None)
    monkeypatch.setattr(webbrowser, "open", opened.append)

    first = bilex("review", "en-ar.csv", "--port", "0", "--no-browser", "--title", "Words")
    second = bilex("review", "en-ar.csv", "--port", "0", "--queue", "frequency")

    assert first.code == second.code == 0
    assert "a new review of 2 words" in first.err
    assert "0 of 2 words decided" in second.err
    assert first.out.startswith("http://127.0.0.1:")
    assert "/open?token=" in first.out
    assert first.out != second.out
    assert opened == [second.out.strip()]
    with ReviewStore.open(str(default_database(table))) as store:
        assert store.project.title == "Words"
        assert store.has_priorities("frequency")


def test_the_command_says_how_many_rejected_words_return(
    bilex: Bilex, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "serve", lambda app, socket, **rest: None)
    header, *rows = TABLE.replace("منزل", "دار").splitlines()
    with open_project(table).store as store:
        shown = store.item("house").word.candidates  # type: ignore[union-attr]
        rejected = Event(
            id="1",
            at="2026-01-01T00:00:00.000000Z",
            reviewer="me",
            word="house",
            kind="none",
            shown=tuple(Shown(each.target) for each in shown),
        )
        store.add([rejected])
    text = "\n".join([f"{header},model", *(f"{row},second" for row in rows)])
    table.write_text(text, encoding="utf-8")

    said = bilex("review", "en-ar.csv", "--port", "0", "--no-browser").err

    assert "1 rejected words have other suggestions and are asked again" in " ".join(said.split())


def test_the_command_reports_what_is_wrong(bilex: Bilex, table: Path) -> None:
    assert "does not exist" in bilex("review", "nothing").err
    unknown = bilex("review", "en-ar.csv", "--queue", "frequenc", "--port", "0")
    assert unknown.code == 2
    assert "did you mean 'frequency'" in unknown.err


def test_without_the_extra_the_command_says_what_to_install(
    bilex: Bilex, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)

    finished = bilex("review", "en-ar.csv")

    assert finished.code == 2
    assert "pip install 'bilex[review]'" in finished.err
    assert not is_sqlite_file(default_database(table))
