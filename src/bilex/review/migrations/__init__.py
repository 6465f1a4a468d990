"""How the tables of a review database came to be, one migration after the other."""
