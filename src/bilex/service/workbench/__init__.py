"""The review pages: questions, batches, progress, words and their history."""
