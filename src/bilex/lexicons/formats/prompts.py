"""Prompts for language models: one JSON object for each source word.

The sentence is that of dictionary-based prompting (Ghazvininejad et al., 2023). It goes before a
text to translate that contains the word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.formats.entry_rules import by_source
from bilex.lexicons.formats.format import Format


def _render(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for source, group in by_source(entries):
        targets = ", ".join(f'"{target}"' for target in dict.fromkeys(e.target for e in group))
        record = {
            "source": source,
            "source_language": metadata.source_language,
            "target_language": metadata.target_language,
            "translations": [
                {"target": e.target, "probability": e.probability, "origin": e.origin}
                for e in group
            ],
            "prompt": f'In this context, the word "{source}" means {targets}.',
        }
        yield encode(record) + "\n"


PROMPTS = Format(
    name="prompts",
    extensions=(".prompts.jsonl",),
    summary="One JSON object for each source word, with a sentence for a language model.",
    keeps=("source", "target", "probability", "origin"),
    render=_render,
    compressible=True,
)
