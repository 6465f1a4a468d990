"""Files of JSON Lines that are no lexicon, and what is said about them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from bilex.errors import LexiconFileError
from bilex.lexicons import read_lexicon


class Bad(NamedTuple):
    name: str
    content: bytes
    line: int | None
    problem: str


JSON_EXAMPLE = '{"source": "dog", "target": "chien"}'

BAD_FILES = [
    Bad(
        "a.jsonl",
        b'{"source": "dog", "target": "chien"}\n{"source": "cat",\n',
        2,
        "not valid JSON (Expecting property name enclosed in double quotes: line 1 column 18 "
        f"(char 17)): expected one object a line, such as {JSON_EXAMPLE}",
    ),
    Bad(
        "a.json",
        b'[{"source": "dog", "target": "chien"}]',
        1,
        f"found an array, expected one object a line, such as {JSON_EXAMPLE}; "
        '`jq -c ".[]"` turns an array into lines',
    ),
    Bad(
        "a.jsonl",
        b'{"source": "dog", "target": "chien"}\nnull\n',
        2,
        f"found null, expected one object a line, such as {JSON_EXAMPLE}; "
        '`jq -c ".[]"` turns an array into lines',
    ),
    Bad(
        "a.jsonl",
        b'{"source": "dog", "translation": "chien"}\n',
        1,
        "no 'target' key, found 'source', 'translation': name the two words source and target",
    ),
    Bad(
        "a.jsonl",
        b"{}\n",
        1,
        "no 'source' key, found no key at all: name the two words source and target",
    ),
    Bad("a.jsonl", b'{"source": 1, "target": "a"}', 1, "the source is a number, expected a string"),
    Bad(
        "a.jsonl",
        b'{"source": "a", "target": ["b", null]}',
        1,
        "a target is null, expected a string or a list of strings",
    ),
    Bad(
        "a.jsonl",
        b'{"source": "a", "target": []}',
        1,
        "the list of targets is empty, expected at least one word",
    ),
    Bad(
        "a.jsonl",
        b'{"source": "a", "target": "b", "weight": true}',
        1,
        "the weight is a boolean, expected a number above 0",
    ),
    Bad(
        "a.jsonl",
        b'{"source": "a", "target": "b", "weight": NaN}',
        1,
        "the weight is nan, expected a finite number above 0",
    ),
    Bad(
        "a.jsonl",
        b'{"source": "a", "target": "b", "weight": 1' + b"0" * 400 + b"}",
        1,
        f"the weight is 1{'0' * 400}, expected a finite number above 0",
    ),
    Bad(
        "a.jsonl",
        b'{"source": "a", "target": "b", "provenance": {}}',
        1,
        "the provenance is an object, expected a string",
    ),
    Bad(
        "a.jsonl",
        rb'{"source": "a", "target": "\ud800"}',
        1,
        r"the target '\ud800' holds half of a character (a lone surrogate), which no lexicon file "
        "can keep",
    ),
]


@pytest.mark.parametrize("bad", BAD_FILES, ids=lambda bad: bad.problem[:40])
def test_a_bad_file_is_explained(tmp_path: Path, bad: Bad) -> None:
    path = tmp_path / bad.name
    path.write_bytes(bad.content)

    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(path)

    assert (caught.value.line, caught.value.problem) == (bad.line, bad.problem)


def test_nested_json_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": ' + b"[" * 100_000)

    with pytest.raises(LexiconFileError, match=r"line 1: not valid JSON \(.*recursion"):
        read_lexicon(path)
