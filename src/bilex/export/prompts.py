"""Prompts for language models: one JSON object for each source word.

The sentence is that of dictionary-based prompting (Ghazvininejad et al., 2023), to be put before
a text to translate that holds the word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.export.entry_rules import by_source


def prompts(entries: Iterable[DictionaryEntry], facts: DictionaryFacts) -> Iterator[str]:
    """Yield a JSON object a line: a word, its translations, and a sentence that tells them."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for source, group in by_source(entries):
        targets = ", ".join(f'"{target}"' for target in dict.fromkeys(e.target for e in group))
        record = {
            "source": source,
            "source_language": facts.source_language,
            "target_language": facts.target_language,
            "translations": [
                {"target": e.target, "probability": e.probability, "origin": e.origin}
                for e in group
            ],
            "prompt": f'In this context, the word "{source}" means {targets}.',
        }
        yield encode(record) + "\n"
