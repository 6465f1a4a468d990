"""Entries of lemmas: none lost, none twice, and never less probable than a pair of forms."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bilex.lexicons import DictionaryEntry, by_lemma

FORMS = {"dogs": "dog", "koirat": "koira", "koiran": "koira", "hundens": "hund"}
WORDS = st.sampled_from(["dog", "dogs", "cat"])
TARGETS = st.sampled_from(["koira", "koirat", "koiran", "kissa", "hundens"])
ENTRIES = st.lists(
    st.builds(
        DictionaryEntry,
        WORDS,
        TARGETS,
        st.none() | st.floats(0, 1),
        st.none() | st.floats(-1, 1),
        origin=st.sampled_from(["seed", "induced", "reviewed", "rejected"]),
    ),
    max_size=12,
)


def lemma(word: str) -> str:
    return FORMS.get(word, word)


@given(ENTRIES)
def test_each_pair_of_lemmas_is_there_once_with_its_most_probable_forms(
    entries: list[DictionaryEntry],
) -> None:
    found = list(by_lemma(entries, source=FORMS.get, target=FORMS.get))
    kept = [one for one in entries if one.origin != "rejected"]
    pairs = [(one.source, one.target) for one in found]
    assert len(set(pairs)) == len(pairs)
    assert set(pairs) == {(lemma(one.source), lemma(one.target)) for one in kept}
    for one in found:
        forms = [each for each in kept if (lemma(each.source), lemma(each.target)) == one[:2]]
        given_ = [each for each in forms if each.origin in ("seed", "reviewed")]
        best = max(each.probability or 0.0 for each in forms)
        assert (one.probability or 0.0) == best
        assert (one.origin in ("seed", "reviewed")) == bool(given_)
    for word in {one.source for one in found}:
        own = [one for one in found if one.source == word]
        assert [one.rank for one in own] == list(range(1, len(own) + 1))
        sure = [one.origin in ("seed", "reviewed") for one in own]
        assert sure == sorted(sure, reverse=True)
    first = list(dict.fromkeys(lemma(one.source) for one in kept))
    assert list(dict.fromkeys(one.source for one in found)) == first


@given(ENTRIES)
def test_without_lemmas_only_repeated_pairs_are_joined(entries: list[DictionaryEntry]) -> None:
    found = list(by_lemma(entries))
    kept = {(one.source, one.target) for one in entries if one.origin != "rejected"}
    assert {(one.source, one.target) for one in found} == kept
    assert list(by_lemma(found)) == found


def test_one_language_alone_can_have_lemmas() -> None:
    entries = [DictionaryEntry("dogs", "koirat", 0.5), DictionaryEntry("dog", "koira", 0.4)]
    (only,) = by_lemma(entries, source=FORMS.get, target=FORMS.get)
    assert only[:3] == ("dog", "koira", 0.5)
    forms = [one[:3] for one in by_lemma(entries, source=FORMS.get)]
    assert forms == [("dog", "koirat", 0.5), ("dog", "koira", 0.4)]
