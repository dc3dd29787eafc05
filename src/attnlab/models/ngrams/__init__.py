"""Models that count n-grams: two of them, the tree and the tables in which they look n-grams up, and how they count."""
