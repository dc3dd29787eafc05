"""What trained heads do: scores, circuits, what a head is worth, and the theory held against it."""
