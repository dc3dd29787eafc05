"""Generated film reviews whose truth is known."""
