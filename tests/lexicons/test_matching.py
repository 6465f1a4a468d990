"""Words of a lexicon as vocabularies spell them."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from bilex.lexicons import coverage, match_decisions, match_words, without_articles
from bilex.lexicons.matching import OtherCase
from bilex.values import Decisions, EmbeddingSpace, Entry, Lexicon, LexiconReport

ENGLISH = ("monday", "nato", "berlin", "May", "may")
FRENCH = ("lundi", "OTAN", "Berlin", "mai", "chien")


def space(*words: str) -> EmbeddingSpace:
    return EmbeddingSpace(words, torch.ones(len(words), 2))


def pairs(lexicon: Lexicon) -> list[tuple[str, str]]:
    return [(entry.source, entry.target) for entry in lexicon.entries]


def test_pairs_are_used_in_other_case() -> None:
    seeds = Lexicon.of(
        [("Monday", "Lundi"), ("NATO", "OTAN"), ("berlin", "Berlin"), ("may", "mai"), ("Rome", "x")]
    )
    matched = match_words(seeds, space(*ENGLISH), space(*FRENCH))

    assert pairs(matched.lexicon) == [
        ("monday", "lundi"),
        ("nato", "OTAN"),
        ("berlin", "Berlin"),
        ("may", "mai"),
        ("Rome", "x"),
    ]
    assert matched.notes == (
        "2 pairs are used in other upper or lower case "
        "(Monday → monday, Lundi → lundi, NATO → nato)",
    )


def test_pairs_that_stay_unusable_are_not_counted() -> None:
    seeds = Lexicon.of([("Monday", "unknown")])
    matched = match_words(seeds, space(*ENGLISH), space(*FRENCH))

    assert pairs(matched.lexicon) == [("monday", "unknown")]
    assert matched.other_case == OtherCase()
    assert matched.notes == ()


def test_articles_are_removed_whatever_the_case_of_the_word() -> None:
    seeds = Lexicon.of([("The Monday", "Le Lundi"), ("dog", "le chien")])
    matched = match_words(seeds, space(*ENGLISH, "dog"), space(*FRENCH))

    assert pairs(matched.lexicon) == [("monday", "lundi"), ("dog", "chien")]
    assert matched.notes == (
        "3 words are used without article or particle "
        "(The Monday → Monday, Le Lundi → Lundi, le chien → chien)",
        "1 pair is used in other upper or lower case (Monday → monday, Lundi → lundi)",
    )


def test_exact_case_changes_articles_alone() -> None:
    seeds = Lexicon.of([("Monday", "lundi"), ("monday", "le lundi")])
    spaces = space(*ENGLISH), space(*FRENCH)
    matched = match_words(seeds, *spaces, any_case=False)

    assert (matched.lexicon, matched.shortened) == without_articles(seeds, *spaces)
    assert pairs(matched.lexicon) == [("Monday", "lundi"), ("monday", "lundi")]
    assert matched.other_case == OtherCase()


def test_weights_origins_and_the_report_stay() -> None:
    report = LexiconReport("tsv", (), (), 1, 0, 1, 1, 0, 0, 0, entry_lines=(7,))
    seeds = Lexicon((Entry("Monday", "lundi", 0.5, "mine"),), report)
    matched = match_words(seeds, space(*ENGLISH), space(*FRENCH)).lexicon

    assert matched.entries == (Entry("monday", "lundi", 0.5, "mine"),)
    assert matched.report is report


def test_decisions_are_matched_and_what_was_accepted_is_not_rejected() -> None:
    decisions = Decisions(
        accepted=Lexicon.of([("Monday", "lundi")]),
        rejected=frozenset({("NATO", "lundi"), ("monday", "Lundi"), ("Berlin", "x")}),
        sample=frozenset({"Monday", "may", "unknown"}),
    )
    found = match_decisions(decisions, space(*ENGLISH), space(*FRENCH))

    assert pairs(found.accepted) == [("monday", "lundi")]
    assert found.rejected == {("nato", "lundi"), ("berlin", "x")}
    assert found.sample == {"monday", "may", "unknown"}
    assert match_decisions(decisions, space(*ENGLISH), space(*FRENCH), any_case=False) == decisions


words = st.text("aAbBßS", min_size=1, max_size=3)


@given(
    seeds=st.lists(st.tuples(words, words), max_size=8),
    source=st.lists(words, unique=True, min_size=1, max_size=6),
    target=st.lists(words, unique=True, min_size=1, max_size=6),
)
def test_matching_never_loses_a_pair(
    seeds: list[tuple[str, str]], source: list[str], target: list[str]
) -> None:
    lexicon, spaces = Lexicon.of(seeds), (space(*source), space(*target))
    matched = match_words(lexicon, *spaces)

    for before, after in zip(lexicon.entries, matched.lexicon.entries, strict=True):
        for old, new, known in zip(before[:2], after[:2], (source, target), strict=True):
            assert new == old if old in known else new == old or new in known
    usable = [e.source in source and e.target in target for e in matched.lexicon.entries]
    exact = [e.source in source and e.target in target for e in lexicon.entries]
    assert matched.other_case.pairs == sum(usable) - sum(exact)
    assert coverage(matched.lexicon, *spaces).kept <= sum(usable)
    assert match_words(matched.lexicon, *spaces).lexicon is matched.lexicon
