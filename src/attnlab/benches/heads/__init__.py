"""What trained heads do: scores, what a head is worth, a sentence as heads see it, and theory held against it."""
