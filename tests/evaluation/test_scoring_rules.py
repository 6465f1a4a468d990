"""One hand-made example on which the four named rules disagree, with the arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch

from bilex.answers import Candidate, Translation
from bilex.errors import EmptyLexiconError, SettingError
from bilex.evaluation import (
    SCORING_RULES,
    Evaluation,
    ScoringRules,
    resolve_rules,
    score_rankers,
)
from bilex.values import Lexicon

SOURCE = {"Cat": 0, "dog": 1, "cat": 2, "bird": 3, "taxi": 4, "moon": 5}
TARGET = {"chat": 0, "minou": 1, "Chien": 2, "chien": 3, "oiseau": 4, "taxi": 5, "pie": 6}
GOLD = Lexicon.of(
    [
        ("cat", "chat"),
        ("cat", "minou"),
        ("dog", "chien"),
        ("bird", "oiseau"),
        ("bird", "volatile"),  # unknown target word
        ("taxi", "taxi"),
        ("moon", "lune"),  # unknown target word
        ("sun", "soleil"),  # unknown source and target word
    ]
)
ANSWERS = {
    "Cat": ("minou", "chat"),
    "cat": ("pie", "chat"),
    "dog": ("chien", "Chien"),
    "bird": ("pie", "taxi", "chat", "oiseau"),
    "taxi": ("taxi",),
}


def answer(words: Sequence[str], k: int) -> list[Translation]:
    return [Translation(w, tuple(Candidate(c, 1.0) for c in ANSWERS[w][:k])) for w in words]


def run(rules: ScoringRules | str) -> Evaluation:
    rng = torch.Generator().manual_seed(0)
    return score_rankers({"nearest": answer}, GOLD, SOURCE, TARGET, rules=rules, rng=rng)


def test_muse_scores_covered_words_in_lower_case() -> None:
    found = run("muse")
    scores = found.scores["nearest"]

    # "cat" is looked up as "Cat", the more frequent; "chien" is no candidate, "Chien" is before it
    # in the vocabulary, so dog's first candidate is "Chien", read as "chien".
    # Ranks: cat 1, dog 1, bird 4, taxi 1; moon and sun are dropped.
    assert (found.covered, found.total) == (4, 6)
    assert scores.p_at_1 == 3 / 4
    assert scores.p_at_5 == 4 / 4
    assert scores.mrr == (1 + 1 + 1 / 4 + 1) / 4
    assert scores.p_at_1_uncovered_as_errors == 3 / 6
    assert found.copy_baseline == 1 / 4


def test_vecmap_scores_covered_words_as_they_are_spelled() -> None:
    found = run("vecmap")
    scores = found.scores["nearest"]

    # "cat" itself is looked up: its first right answer is second.
    # Ranks: cat 2, dog 1, bird 4, taxi 1.
    assert (found.covered, found.total) == (4, 6)
    assert scores.p_at_1 == 2 / 4
    assert scores.mrr == (1 / 2 + 1 + 1 / 4 + 1) / 4
    assert scores.p_at_1_uncovered_as_errors == 2 / 6
    assert found.copy_baseline == 1 / 4


def test_xling_scores_each_pair_by_itself() -> None:
    found = run("xling")
    scores = found.scores["nearest"]

    # Ranks: cat-minou 1, cat-chat 2, dog-chien 1, bird-oiseau 4, taxi-taxi 1;
    # bird-volatile, moon-lune and sun-soleil are dropped.
    assert (found.covered, found.total) == (5, 8)
    assert scores.p_at_1 == 3 / 5
    assert scores.mrr == pytest.approx((1 + 1 / 2 + 1 + 1 / 4 + 1) / 5)
    assert scores.p_at_1_uncovered_as_errors == 3 / 8
    assert found.copy_baseline == 1 / 5


def test_strict_counts_uncovered_words_as_errors() -> None:
    found = run("strict")
    scores = found.scores["nearest"]

    # Ranks as for vecmap, and moon and sun count as wrong.
    assert (found.covered, found.total) == (4, 6)
    assert scores.p_at_1 == scores.p_at_1_uncovered_as_errors == 2 / 6
    assert scores.mrr == (1 / 2 + 1 + 1 / 4 + 1) / 6
    assert found.copy_baseline == 1 / 6
    assert scores.by_frequency["0-1k"].n == 5
    assert scores.by_frequency["unknown"].n == 1
    assert {outcome.word for outcome in found.outcomes["nearest"]} >= {"moon", "sun"}


def test_the_four_sets_of_rules_disagree() -> None:
    assert len({run(name).scores["nearest"].p_at_1 for name in SCORING_RULES}) == 4


def test_rules_of_ones_own_are_followed() -> None:
    own = ScoringRules(name="mine", unit="pair", uncovered="error", primary="nearest", depth=10)

    found = run(own)

    # Exact case, pairs: cat-chat 2, cat-minou -, dog-chien 1, bird-oiseau 4, taxi-taxi 1, 3 errors.
    assert found.primary.p_at_1 == 2 / 8
    assert found.to_dict()["rules"] == "mine"


def test_a_misspelled_name_is_an_error_with_the_closest_name() -> None:
    with pytest.raises(SettingError, match=r"'vecmpa' \(did you mean 'vecmap'\?\).*strict"):
        resolve_rules("vecmpa")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unit": "pairs"}, "unit is 'pairs' .did you mean 'pair'"),
        ({"uncovered": "ignored"}, "uncovered is 'ignored'.* expected one of dropped, error"),
        ({"case": "Lower"}, "case is 'Lower'"),
        ({"depth": 9}, "depth is 9, expected 10 or more"),
    ],
)
def test_rules_out_of_bounds_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        ScoringRules(name="mine", **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pairs", "rules", "message"),
    [
        ([], "muse", "gold lexicon is empty"),
        ([("chat", "cat"), ("lune", "moon")], "muse", "swap the two languages"),
        (
            [("CAT", "chat")],
            "vecmap",
            r"0 of 1 source words and 1 of 1 target.*'vecmap' distinguish case",
        ),
        ([("cat", "x"), ("y", "chat")], "muse", r"1 of 2 source.* 1 of 2 target.*same script"),
        ([("sun", "soleil")], "strict", "none of the 1 gold pairs"),
    ],
)
def test_nothing_covered_is_an_error_with_a_hint(
    pairs: list[tuple[str, str]], rules: str, message: str
) -> None:
    with pytest.raises(EmptyLexiconError, match=message):
        score_rankers(
            {"nearest": answer},
            Lexicon.of(pairs),
            SOURCE,
            TARGET,
            rules=rules,
            rng=torch.Generator(),
        )
