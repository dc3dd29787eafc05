"""Training text classifiers."""
