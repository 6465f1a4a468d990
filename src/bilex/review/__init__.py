"""People check a dictionary: what they decided, which word is next, and what to learn from it."""
