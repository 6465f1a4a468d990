"""Candidate translations of a word: lists, features, probabilities, and the dictionary."""
