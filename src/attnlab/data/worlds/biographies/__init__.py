"""Generated biographies whose truth is known."""
