"""Generated worlds whose truth is known: film reviews, biographies, and strangers."""
