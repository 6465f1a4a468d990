from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.candidates.features import FEATURES, GROUPS, LEARNED, Need, choose_features
from bilex.errors import SettingError

EVERYTHING: frozenset[Need] = frozenset({"second map", "comparable spelling", "paths"})


def test_every_feature_is_in_one_group() -> None:
    names = [name for group in GROUPS.values() for name in group.names]
    assert sorted(FEATURES) == sorted(names)
    assert len(set(FEATURES)) == len(FEATURES)
    assert not set(FEATURES) & set(GROUPS)


def test_the_frequency_of_the_word_alone_is_no_feature() -> None:
    # Seeds are frequent words: what is learned from their frequency is wrong for the rest.
    assert not {"frequency", "frequency_rank", "source_frequency"} & set(FEATURES)
    assert all(not name.startswith("frequency") or "_" in name for name in FEATURES)


def test_the_frequency_among_candidates_is_not_learned_from() -> None:
    # Frequent seeds have frequent translations, other words do not.
    found = choose_features(available=EVERYTHING)
    assert found == LEARNED
    assert set(FEATURES) - set(found) == {"frequency_among_candidates"}
    assert choose_features(["frequency_among_candidates"], available=EVERYTHING) == found


@settings(deadline=None)
@given(st.lists(st.sampled_from([*FEATURES, *GROUPS]), max_size=6))
def test_what_is_left_out_is_gone_and_the_rest_stays_in_order(dropped: list[str]) -> None:
    gone = {name for one in dropped for name in (GROUPS[one].names if one in GROUPS else (one,))}
    expected = [name for name in LEARNED if name not in gone]
    if set(expected) - set(GROUPS["paths"].names):
        assert list(choose_features(dropped, available=EVERYTHING)) == expected
    else:
        with pytest.raises(SettingError, match="leaves out all features"):
            choose_features(dropped, available=EVERYTHING)


def test_an_unknown_name_is_an_error_with_the_closest_name() -> None:
    with pytest.raises(SettingError, match=r"called 'string' \(did you mean 'strings'\?\)"):
        choose_features(["string"], available=EVERYTHING)
    with pytest.raises(SettingError, match=r"called 'q'; there are: scores, second_map, freq"):
        choose_features(["q"], available=EVERYTHING)


def test_something_must_be_left() -> None:
    with pytest.raises(SettingError, match="leaves out all features: keep at least one"):
        choose_features(list(GROUPS), available=EVERYTHING)


@pytest.mark.parametrize("need", sorted(EVERYTHING))
def test_a_group_whose_needs_are_not_available_is_left_out(need: Need) -> None:
    found = choose_features(available=EVERYTHING - {need})
    needing = [name for group in GROUPS.values() if need in group.needs for name in group.names]
    assert needing
    assert list(found) == [name for name in LEARNED if name not in needing]


def test_without_any_need_scores_frequencies_and_what_words_are_made_of_are_left() -> None:
    found = choose_features(available=frozenset())
    left = ("scores", "frequency", "word_parts", "forms")
    groups = [name for group in left for name in GROUPS[group].names]
    assert found == tuple(name for name in groups if name in LEARNED)
    assert choose_features(left, available=frozenset()) == ()
