"""Facts: a line on each person, questions with their answers, and where all of it comes from."""
