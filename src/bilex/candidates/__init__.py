"""What is known of the candidates of a word: lists, features, probabilities, the dictionary."""
