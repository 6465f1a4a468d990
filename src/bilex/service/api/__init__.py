"""A lexicon as a service: words, text and entries over HTTP."""
