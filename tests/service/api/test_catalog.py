from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from bilex.errors import BilexError, SettingError
from bilex.review.project import Candidate, Project, ReviewWord
from bilex.review.store import ReviewStore
from bilex.service.api.catalog import Models, PairSettings, UnknownPairError
from bilex.storage.answer_file import ANSWERS
from review_data import event
from running_service import odd_model, plain_model


def settings(name: str, model: Path | None, **more: object) -> PairSettings:
    source, target = name.split("-")
    return PairSettings(name=name, source=source, target=target, model=model, **more)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    plain_model().save(tmp_path / "en-es")
    odd_model().save(tmp_path / "de-fr")
    return tmp_path


def test_pairs_are_found_by_name_and_by_languages(folder: Path) -> None:
    models = Models(lambda: [settings(name, folder / name) for name in ("en-es", "de-fr")])
    models.load()
    catalog = models.current
    assert list(catalog.pairs) == ["en-es", "de-fr"]
    assert catalog.by_languages("es", "en") == (catalog.by_name("en-es"), True)
    assert catalog.by_languages("de", "fr") == (catalog.by_name("de-fr"), False)
    with pytest.raises(UnknownPairError, match="no pair 'xx': served are en-es, de-fr"):
        catalog.by_name("xx")
    with pytest.raises(UnknownPairError, match="no pair from 'en' to 'fr'"):
        catalog.by_languages("en", "fr")


def test_a_pair_needs_something_to_answer_with() -> None:
    with pytest.raises(SettingError, match="neither a model nor a dictionary"):
        settings("en-es", None)


def test_models_are_added_replaced_and_removed(folder: Path) -> None:
    wanted = ["en-es"]
    models = Models(lambda: [settings(name, folder / name) for name in wanted])
    models.load()
    before = models.current
    assert not models.refresh()
    assert models.current is before

    odd_model().save(folder / "en-es")
    assert models.refresh()
    assert models.current.by_name("en-es").identity == odd_model().identity
    assert before.by_name("en-es").identity == plain_model().identity  # for running requests

    wanted.append("de-fr")
    assert models.refresh()
    assert list(models.current.pairs) == ["en-es", "de-fr"]

    wanted.remove("en-es")
    assert models.refresh()
    assert list(models.current.pairs) == ["de-fr"]


def test_what_cannot_be_loaded_stays_as_it_is(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = folder / "en-es"
    models = Models(lambda: [settings("en-es", place)])
    models.load()
    before = models.current

    (place / "tensors.safetensors").write_bytes(b"damaged")
    (place / "manifest.json").touch()
    with caplog.at_level(logging.ERROR):
        assert not models.refresh()
        assert not models.refresh()

    assert models.current is before
    assert len(caplog.records) == 1  # not every second
    assert "en-es stays as it is" in caplog.text

    plain_model().save(folder / "again")
    place.rename(folder / "old")
    assert not models.refresh()  # not there for a moment
    (folder / "again").rename(place)
    assert models.refresh()


def test_the_first_start_reports_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(BilexError, match="there is no such folder"):
        Models(lambda: [settings("en-es", tmp_path / "nothing")]).load()


def test_answers_are_made_once_and_kept(folder: Path) -> None:
    place = folder / "en-es"
    (place / ANSWERS).unlink()
    models = Models(lambda: [settings("en-es", place)])
    models.load()
    assert (place / ANSWERS).is_file()
    word = plain_model().source.words[0]
    answer = models.current.by_name("en-es").forward.translate([word], k=3)[0]
    expected = plain_model().translate([word], k=3)[0].candidates
    assert [one["probability"] for one in answer["candidates"]] == [
        one.probability for one in expected
    ]


def test_a_dictionary_alone_or_before_a_model(folder: Path) -> None:
    file = folder / "words.tsv"
    file.write_text("source\ttarget\nhot dog\tperrito caliente\n", encoding="utf-8")
    models = Models(
        lambda: [
            settings("en-es", folder / "en-es", dictionary=file),
            settings("en-pt", None, dictionary=file),
        ]
    )
    models.load()
    for pair in models.current.pairs.values():
        answer = pair.forward.translate(["hot dog"], k=1)[0]
        assert [one["word"] for one in answer["candidates"]] == ["perrito caliente"]


def test_decisions_arrive_while_the_service_runs(folder: Path) -> None:
    database = folder / "review.sqlite"
    word = plain_model().source.words[0]
    project = Project(source_language="en", target_language="es", model="m", seed=1)
    listed = [ReviewWord(word=word, rank=0, candidates=(Candidate("x", 0.5),))]
    ReviewStore.create(str(database), project, listed).close()
    models = Models(
        lambda: [settings("en-es", folder / "en-es", decisions=str(database))], every=0.01
    )
    models.load()
    pair = models.current.by_name("en-es")
    version = pair.version()
    models.start()
    try:
        with ReviewStore.open(str(database)) as store:
            store.add([event(1, word, targets=("two words",))])
        for _ in range(1000):
            if pair.version() != version:
                break
            threading.Event().wait(0.01)
    finally:
        models.stop()
    answer = pair.forward.translate([word], k=1)[0]["candidates"][0]
    assert (answer["word"], answer["origin"]) == ("two words", "reviewed")
    found = pair.backward.glossary(
        "these two words here", max_terms=9, k=1, min_probability=0.5, similar=False
    )
    assert "two words" in [term.term for term in found.terms]
