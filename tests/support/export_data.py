"""Dictionaries to write and read: a small one, and strategies for random ones."""

from __future__ import annotations

from hypothesis import strategies as st

from bilex.lexicons import DictionaryEntry, DictionaryMetadata

METADATA = DictionaryMetadata(
    source_language="en",
    target_language="fr",
    title="English & French",
    license="CC0-1.0",
    manifest={"bilex": "0.1", "words": 2},
)
ENTRIES = (
    DictionaryEntry("house", "maison", 0.93, 0.61, 1, 1, "induced", "css-4f"),
    DictionaryEntry("house", "chambre <à> part", 0.5, None, 2, None, "reviewed"),
    DictionaryEntry("New York", 'New "York"', origin="seed"),
)
REVIEWED = (
    DictionaryEntry(
        *("house", "maison", 0.93, None, 1, None, "reviewed", "css-4f"),
        part_of_speech="noun",
        sense="building",
        note="100 % <sure>",
        reviewer="Ann B; Bo",
        reviewed_at="2026-01-31T12:00:00.000000Z",
    ),
    DictionaryEntry(
        *("house", "logis", None, None, 2, None, "reviewed"),
        part_of_speech="noun",
        sense="building",
    ),
    DictionaryEntry("house", "mais on", 0.25, origin="rejected", part_of_speech="noun phrase"),
    DictionaryEntry("house", "mai", origin="induced"),
)

NASTY_WORDS = [
    *('"', "'", "\\", "\\u0001", "\\u005cu0001", "&amp;", "]]>", "<b/>", "<!--", "{", "#", "~"),
    *("_", "\x01", "a\x1fb", "\x7f", "\x85", "\u2028", "\u00a0x", "\ufeff", "\ufffe", "\uffff"),
    *("\ufdd0", "a  b", "a: b", "origin=seed", "probability: 2", "source", "target", "x=y", "1"),
    *("-1e5", "a,b;c", "é", "e\u0301", "ꯃꯤꯇꯩ", "שלום", "👩‍👩‍👧", "\U0010ffff", "\u200bx", "ﷺ"),
    *(
        "ǅ",
        "I\u0307",
        "^",
        "$",
        "/",
        "@",
        "*",
        "+",
        "[x]",
        "`",
        "%",
        "=cmd()",
        "tags:",
        "http://x/?a=b&c",
    ),
]

words = st.one_of(
    st.text(
        st.characters(exclude_characters="\t\n\r\0", exclude_categories=["Cs"]),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(NASTY_WORDS),
    st.tuples(st.sampled_from(NASTY_WORDS), st.sampled_from(NASTY_WORDS)).map("".join),
).filter(lambda word: word == word.strip(" "))
ranks = st.one_of(st.none(), st.integers(1, 2**31 - 1))
texts = st.one_of(st.just(""), words)
times = st.one_of(
    st.just(""),
    st.dates().map(str),
    st.datetimes().map(lambda moment: f"{moment.isoformat()}Z"),
    st.datetimes().map(lambda moment: f"{moment.isoformat()}+05:30"),
)
entries = st.builds(
    DictionaryEntry,
    words,
    words,
    st.one_of(st.none(), st.floats(0, 1)),
    st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
    ranks,
    ranks,
    st.sampled_from(["seed", "induced", "reviewed", "rejected"]),
    texts,
    st.one_of(st.sampled_from(["", "noun", "other", "noun phrase"]), words),
    texts,
    texts,
    texts,
    times,
)
dictionaries = st.lists(entries, min_size=1, max_size=6).map(lambda found: [*found, found[0]])
languages = st.sampled_from(["und", "en", "fr", "zh-Hant", "mni-Mtei", "x-private"])
lines = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=12
).map(str.strip)
metadata = st.builds(
    DictionaryMetadata,
    source_language=languages,
    target_language=languages,
    title=lines,
    license=lines,
    manifest=st.dictionaries(st.text(max_size=4), st.one_of(st.integers(), lines), max_size=3),
)
