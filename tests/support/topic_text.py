"""A text in which words of the same topic occur together."""

from __future__ import annotations

import random
from pathlib import Path

TOPICS = (
    "king queen crown throne palace knight castle royal",
    "bread milk honey cheese butter wine salt flour",
    "river sea lake rain boat fish wave shore",
)


def write_topics(path: Path, *, lines: int = 400, words: int = 8, draw: int = 0) -> Path:
    """Write lines of words of one topic each, with frequent words of none, and return the path."""
    rng = random.Random(draw)
    with path.open("w", encoding="utf-8") as file:
        for _ in range(lines):
            topic = rng.choice(TOPICS).split()
            line = [rng.choice([*topic, "the", "of"]) for _ in range(words)]
            file.write(f"{' '.join(line).capitalize()}, {rng.randrange(10)}.\n")
    return path
