"""From two word-embedding files and a few seed pairs to a bilingual lexicon you can trust."""

from __future__ import annotations

import logging

__version__ = "0.1.0.dev0"

logging.getLogger(__name__).addHandler(logging.NullHandler())
