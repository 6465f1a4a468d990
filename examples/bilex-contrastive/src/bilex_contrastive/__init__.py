"""Plugins for bilex from another package: found by entry point, chosen by name."""
