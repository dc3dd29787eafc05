"""How text classifiers are shown."""
