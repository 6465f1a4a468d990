"""Learn a map between two embedding spaces from seed pairs."""
