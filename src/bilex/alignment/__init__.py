"""The method: from two spaces and seed pairs to a map between them."""
