"""The documentation as a program: its blocks, run page by page, and their output compared."""
