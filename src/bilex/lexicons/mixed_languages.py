"""Notice a vocabulary that comes from text in two languages, which ruins a bilingual lexicon."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

MOST_FREQUENT = 50
AMONG = 500
SUSPICIOUS = 45
"""How many of the 50 most frequent words of one language may be among the 500 of the other.

Published vectors of seven languages have at most 9. Text of which a tenth is in the other language
has 41 to 50. Closely related languages were not measured.
"""


def mixture_hints(source: Sequence[str], target: Sequence[str]) -> Iterator[str]:
    """Yield a hint for each vocabulary that seems to hold the other language, too.

    Both vocabularies have their most frequent words first, as vector files do.
    """
    names = ("source", "target")
    for one, other in ((0, 1), (1, 0)):
        words = tuple(_lower_words((source, target)[one], MOST_FREQUENT))
        found = set(_lower_words((source, target)[other], AMONG)).intersection(words)
        if len(words) == MOST_FREQUENT and len(found) >= SUSPICIOUS:
            shown = ", ".join([word for word in words if word in found][:3])
            yield (
                f"{len(found)} of the {len(words)} most frequent {names[one]} words ({shown}, …) "
                f"are also among the {AMONG} most frequent {names[other]} words: unless the two "
                f"languages are closely related, remove text in the {names[one]} language from "
                f"what the {names[other]} vectors were trained on; its words are taken for "
                "translations of themselves"
            )


def _lower_words(vocabulary: Sequence[str], count: int) -> Iterator[str]:
    """Yield the first words that have only letters, each once, in lower case."""
    lower = (word.lower() for word in vocabulary if word.isalpha())
    return islice(dict.fromkeys(islice(lower, 2 * count)), count)
