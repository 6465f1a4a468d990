"""Every feature against what its name says, computed word by word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.candidates.features import (
    FEATURES,
    Need,
    choose_features,
    compute_features,
    over_best_rival,
)
from bilex.candidates.lists import Queries, list_candidates
from bilex.values import EmbeddingSpace
from candidates import Known, edits, known_direction
from naive_parts import naive_fit, naive_usual

EVERYTHING: frozenset[Need] = frozenset({"second map", "comparable spelling", "paths"})

_NO_PATHS = {
    f"{name}{ending}": value
    for name in ("path", "back_path", "meeting")
    for ending, value in (("", math.log(1e-3)), ("_to_best", 0.0))
}


def over_others(values: Sequence[float], place: int) -> float:
    others = [value for other, value in enumerate(values) if other != place]
    return values[place] - max(others) if others else 0.0


def naive(known: Known, row: int, ids: list[int]) -> list[dict[str, float]]:
    """Compute the features of the candidates of one word from all similarities."""
    word = known.direction.source.space.words[row]
    names = [known.direction.target.space.words[i] for i in ids]
    scores = [float(known.csls[row, i]) for i in ids]
    crowding = [2 * float(known.cosines[row, i]) - float(known.csls[row, i]) for i in ids]
    second = [
        2 * float(known.second[row, i]) - crowd for i, crowd in zip(ids, crowding, strict=True)
    ]
    columns = [known.csls[:, i].tolist() for i in ids]
    back_margins = [over_others(column, row) for column in columns]
    similarities = [1 - edits(word, name) / max(len(word), len(name)) for name in names]
    rarities = [math.log(i + 1) for i in ids]
    direction = known.direction
    pairs = [
        (direction.source.space.words[i], direction.target.space.words[j])
        for i, j in zip(*(ids.tolist() for ids in direction.pairs), strict=True)
    ]
    parts = [naive_fit(pairs, word, name) for name in names]
    beginnings, endings = ([each[which] for each in parts] for which in (0, 1))
    assert direction.seeds is not None
    seeds = [
        (direction.source.space.words[i], direction.target.space.words[j])
        for i, j in zip(*(ids.tolist() for ids in direction.seeds), strict=True)
    ]
    chosen, everything = {target for _, target in seeds}, direction.target.space.words
    forms = [naive_usual(chosen, everything, name) for name in names]
    form_pairs = [naive_fit(seeds, word, name)[1] for name in names]
    return [
        {
            "csls": scores[place],
            "cosine": float(known.cosines[row, i]),
            "margin": over_others(scores, place),
            "gap": over_others(scores, 0),
            "rank": math.log(place + 1),
            "share": 10 * scores[place] - math.log(sum(math.exp(10 * s) for s in scores)),
            "back_rank": math.log(
                1 + sum(other > scores[place] + 1e-6 for other in columns[place])
            ),
            "back_margin": back_margins[place],
            "back_margin_to_best": back_margins[place] - max(back_margins),
            "back_share": 10 * scores[place]
            - math.log(sum(math.exp(10 * s) for s in sorted(columns[place])[-20:])),
            "second": second[place],
            "second_margin": over_others(second, place),
            "second_to_best": second[place] - max(second),
            "frequency_difference": math.log(row + 1) - rarities[place],
            "frequency_distance": abs(math.log(row + 1) - rarities[place]),
            "frequency_among_candidates": rarities[place] - sum(rarities) / len(rarities),
            "similarity": similarities[place],
            "similarity_to_best": similarities[place] - max(similarities),
            "prefix": 0.0,  # an s and a t begin all words
            "identical": 0.0,
            "beginning": beginnings[place],
            "beginning_to_best": beginnings[place] - max(beginnings),
            "ending": endings[place],
            "ending_to_best": endings[place] - max(endings),
            "form": forms[place],
            "form_to_best": forms[place] - max(forms),
            "form_pair": form_pairs[place],
            "form_pair_to_best": form_pairs[place] - max(form_pairs),
            **_NO_PATHS,
        }
        for place, i in enumerate(ids)
    ]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("size", "k"), [(10, 4), (10, 25), (2, 3), (1, 2)])
def test_every_feature_is_what_its_name_says(size: int, k: int, reverse: bool) -> None:
    known = known_direction(size, reverse=reverse, draw=3)
    queries = known.direction.queries(torch.arange(size))
    lists = list_candidates(known.direction, queries, k=k)
    found = compute_features(known.direction, queries, lists, FEATURES)
    assert found.shape == (size, min(k, size), len(FEATURES))
    for row in range(size):
        expected = naive(known, row, lists.ids[row].tolist())
        for place, features in enumerate(expected):
            computed = dict(zip(FEATURES, found[row, place].tolist(), strict=True))
            assert computed == pytest.approx(features, abs=1e-4)


def test_only_the_named_features_are_returned_in_their_order() -> None:
    known = known_direction(10)
    queries = known.direction.queries(torch.arange(10))
    lists = list_candidates(known.direction, queries, k=4)
    everything = compute_features(known.direction, queries, lists, FEATURES)
    chosen = ("rank", "identical", "csls")
    some = compute_features(known.direction, queries, lists, chosen)
    assert torch.equal(some, everything[..., [FEATURES.index(name) for name in chosen]])


def test_strings_are_compared_without_accents_but_identical_means_identical() -> None:
    direction = known_direction(3).direction
    space = EmbeddingSpace(("Élan", "elan", "elk"), direction.target.space.vectors)
    direction = replace(direction, target=replace(direction.target, space=space))
    queries = Queries(["elan"], direction.source.space.vectors[:1], torch.tensor([1.0]))
    lists = list_candidates(direction, queries, k=3)
    found = compute_features(direction, queries, lists, ("similarity", "prefix", "identical"))
    by_name = {
        space.words[i]: features
        for i, features in zip(lists.ids[0].tolist(), found[0].tolist(), strict=True)
    }
    assert by_name == {"Élan": [1, 1, 0], "elan": [1, 1, 1], "elk": [0.5, 0.5, 0]}


def test_no_string_is_looked_at_where_strings_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr("bilex.candidates.features.spellings")
    known = known_direction(5)
    queries = known.direction.queries(torch.arange(5))
    lists = list_candidates(known.direction, queries, k=3)
    compute_features(
        known.direction, queries, lists, choose_features(["strings"], available=EVERYTHING)
    )
    with pytest.raises(NameError):
        compute_features(known.direction, queries, lists, choose_features(available=EVERYTHING))


def test_features_of_a_word_do_not_depend_on_other_words() -> None:
    known = known_direction(30)

    def features_of(rows: list[int]) -> torch.Tensor:
        queries = known.direction.queries(torch.tensor(rows))
        lists = list_candidates(known.direction, queries, k=6)
        return compute_features(known.direction, queries, lists, FEATURES)

    together = features_of([4, 9, 2])
    for place, row in enumerate([4, 9, 2]):
        torch.testing.assert_close(features_of([row])[0], together[place], atol=1e-5, rtol=0)


@settings(deadline=None)
@given(
    st.integers(1, 5).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(-3, 3).map(float), min_size=k, max_size=k), min_size=1, max_size=5
        )
    )
)
def test_a_margin_is_over_the_best_of_the_others_also_with_ties(rows: list[list[float]]) -> None:
    expected = [[over_others(row, place) for place in range(len(row))] for row in rows]
    assert over_best_rival(torch.tensor(rows)).tolist() == expected
