"""Facts: a line on each person, and questions with their answers."""
