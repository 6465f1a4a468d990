"""Scores by lemma beside scores by form."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import bilex
from bilex.answers import Candidate, Translation
from bilex.errors import BilexWarning, LexiconFileError, MissingExtraError, SettingError
from bilex.evaluation import Evaluation, score_rankers
from bilex.oov import Lemmas
from bilex.values import Lexicon
from candidates import calibrated_model, noisy_twins

Answers = dict[str, tuple[str, ...]]

SOURCE = {"house": 0, "houses": 1, "cat": 2, "go": 3}
TARGET = {"maison": 0, "maisons": 1, "chat": 2, "chats": 3, "chien": 4, "va": 5, "aller": 6}
GOLD = Lexicon.of([("house", "maison"), ("houses", "maisons"), ("cat", "chat"), ("go", "aller")])
ANSWERS: Answers = {
    "house": ("maisons", "maison"),  # the form is second, its lemma is first
    "houses": ("maisons",),
    "cat": ("chien", "maison", "chats"),  # only the lemma is found, third
    "go": ("chien",),
}
LEMMAS = Lemmas({"maisons": "maison", "chats": "chat", "va": "aller"}.get, "by hand")


def run(
    lemmas: Lemmas | Path | str | None,
    *,
    gold: Lexicon = GOLD,
    answers: Answers = ANSWERS,
    target: dict[str, int] = TARGET,
    rules: str = "vecmap",
) -> Evaluation:
    def rank(words: Sequence[str], k: int) -> list[Translation]:
        return [Translation(w, tuple(Candidate(c, 1.0) for c in answers[w][:k])) for w in words]

    return score_rankers(
        {"csls": rank},
        gold,
        SOURCE,
        target,
        rules=rules,
        lemmas=lemmas,
        bootstrap=100,
        rng=torch.Generator().manual_seed(0),
    )


def test_an_answer_counts_if_its_lemma_is_that_of_a_gold_word() -> None:
    found = run(LEMMAS)
    scores = found.scores["csls"]

    ranks = [(o.word, o.rank, o.lemma_rank) for o in found.outcomes["csls"]]
    assert ranks == [("house", 2, 1), ("houses", 1, 1), ("cat", None, 3), ("go", None, None)]
    assert (scores.p_at_1, scores.mrr) == (1 / 4, (1 / 2 + 1) / 4)
    assert scores.lemma is not None
    assert (scores.lemma.p_at_1, scores.lemma.p_at_5) == (2 / 4, 3 / 4)
    assert scores.lemma.mrr == pytest.approx((1 + 1 + 1 / 3) / 4)
    assert scores.lemma.p_at_1_interval[0] <= 2 / 4 <= scores.lemma.p_at_1_interval[1]
    plain = found.to_dict()
    assert plain["lemmas"] == "by hand"
    assert plain["csls"]["lemma"]["p_at_10"] == 3 / 4  # type: ignore[index]


def test_lemmas_change_no_score_by_form() -> None:
    with_lemmas, without = run(LEMMAS).to_dict(), run(None).to_dict()

    assert without["csls"].pop("lemma") is None  # type: ignore[attr-defined]
    with_lemmas["csls"].pop("lemma")  # type: ignore[attr-defined]
    assert with_lemmas.pop("lemmas") == "by hand"
    assert without.pop("lemmas") is None
    assert with_lemmas == without


def test_equal_answers_have_equal_intervals() -> None:
    scores = run(Lemmas({"aller": "va"}.get)).scores["csls"]

    assert scores.lemma is not None
    assert scores.lemma.p_at_1_interval == scores.p_at_1_interval


forms = st.sampled_from(sorted(TARGET))


@given(
    answers=st.fixed_dictionaries(
        {word: st.lists(forms, unique=True).map(tuple) for word in SOURCE}
    ),
    lemmas=st.dictionaries(forms, forms),
)
@settings(deadline=None, max_examples=60)
def test_every_lemma_rank_equals_an_independent_count(
    answers: Answers, lemmas: dict[str, str]
) -> None:
    found = run(Lemmas(lemmas.get), answers=answers)

    for outcome in found.outcomes["csls"]:
        accepted = [lemmas.get(form, form) for form in outcome.gold]
        lemmatized = [lemmas.get(form, form) for form in answers[outcome.word]]
        places = [place for place, lemma in enumerate(lemmatized, 1) if lemma in accepted]
        assert outcome.lemma_rank == min(places, default=None)
        assert outcome.rank is None or (outcome.lemma_rank or 99) <= outcome.rank


def test_lemmas_of_capitalized_words_are_found_under_rules_in_lower_case() -> None:
    nouns = {"Haus": 0, "Häuser": 1, "hunde": 2, "Hund": 3}
    answers: Answers = {"house": ("Häuser",), "cat": ("hunde",)}
    gold = Lexicon.of([("house", "haus"), ("cat", "Hund")])
    lemmas = Lemmas({"Häuser": "Haus", "hunde": "Hund"}.get)

    found = run(lemmas, gold=gold, answers=answers, target=nouns, rules="muse")

    assert [outcome.lemma_rank for outcome in found.outcomes["csls"]] == [1, 1]
    exact = run(lemmas, gold=gold, answers=answers, target=nouns)  # "haus" is no word
    assert [outcome.lemma_rank for outcome in exact.outcomes["csls"]] == [1]


def test_a_model_is_scored_by_lemmas_of_the_language_of_the_answers(tmp_path: Path) -> None:
    model, gold = calibrated_model(), Lexicon(noisy_twins().lexicon.entries[90:])
    everything = Lemmas(lambda form: form[0])  # all words of a language have one lemma
    for reverse in (False, True):
        found = bilex.evaluate(model, gold, reverse=reverse, lemmas=everything)
        assert found == model.evaluate(gold, reverse=reverse, lemmas=everything)
        for scores in found.scores.values():
            assert scores.lemma is not None
            assert scores.lemma.p_at_1 == 1 > scores.p_at_1
    path = tmp_path / "lemmas.tsv"
    path.write_text("".join(f"{entry.target}\tt\n" for entry in gold.entries), encoding="utf-8")
    assert bilex.evaluate(model, gold, lemmas=path).to_dict()["lemmas"] == "lemmas.tsv"
    with pytest.warns(
        BilexWarning, match=r"none of the \d+ gold translations.*in lemmas\.tsv"
    ) as w:
        bilex.evaluate(model, gold, reverse=True, lemmas=str(path))
    assert [each.filename for each in w] == [__file__]


def test_useful_lemmas_give_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(LEMMAS)


def test_lemmas_that_cannot_be_read_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LexiconFileError):
        run(tmp_path / "absent.tsv")
    monkeypatch.setitem(sys.modules, "simplemma", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bilex\[lemmas\]'"):
        run("simplemma:fr")


def test_simplemma_has_the_lemmas_of_a_language() -> None:
    pytest.importorskip("simplemma")

    found = run("simplemma:fr")

    assert found.lemmas == "simplemma:fr"
    assert [outcome.lemma_rank for outcome in found.outcomes["csls"]] == [1, 1, 3, None]
    with pytest.raises(SettingError, match="no lemmas of the language 'xx'"):
        run("simplemma:xx")


def test_a_data_frame_has_a_column_of_lemmas() -> None:
    pytest.importorskip("pandas")

    assert list(run(LEMMAS).to_pandas()["p_at_1_lemma"]) == [2 / 4]
    assert "p_at_1_lemma" not in run(None).to_pandas()
