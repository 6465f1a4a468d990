from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.calibration.features import FEATURES, GROUPS, features_without
from bilex.errors import SettingError


def test_every_feature_is_in_one_group() -> None:
    assert sorted(FEATURES) == sorted(name for names in GROUPS.values() for name in names)
    assert len(set(FEATURES)) == len(FEATURES)
    assert not set(FEATURES) & set(GROUPS)


def test_the_frequency_of_the_word_alone_is_no_feature() -> None:
    # Seeds are frequent words: what it would tell of them is wrong for the rest.
    assert not {"frequency", "frequency_rank", "source_frequency"} & set(FEATURES)
    assert all(not name.startswith("frequency") or "_" in name for name in FEATURES)


@settings(deadline=None)
@given(st.lists(st.sampled_from([*FEATURES, *GROUPS]), max_size=6))
def test_what_is_left_out_is_gone_and_the_rest_stays_in_order(dropped: list[str]) -> None:
    gone = {name for one in dropped for name in GROUPS.get(one, (one,))}
    expected = [name for name in FEATURES if name not in gone]
    if expected:
        assert list(features_without(dropped)) == expected
    else:
        with pytest.raises(SettingError, match="leaves no feature"):
            features_without(dropped)


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    with pytest.raises(SettingError, match=r"called 'string' \(did you mean 'strings'\?\)"):
        features_without(["string"])
    with pytest.raises(SettingError, match=r"called 'q'; there are: scores, second_map, freq"):
        features_without(["q"])


def test_something_must_be_left() -> None:
    with pytest.raises(SettingError, match="leaves no feature to judge candidates by"):
        features_without(list(GROUPS))
