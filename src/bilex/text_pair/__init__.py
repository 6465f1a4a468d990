"""Word vectors of two texts, trained together with the help of seed pairs."""

from bilex.text_pair.spaces import spaces_of_texts

__all__ = ["spaces_of_texts"]
