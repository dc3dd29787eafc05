"""The front door in Python, `import attnlab as al`: a function for each command, with the same option names.

A function turns its arguments into typed settings, calls the bench with an observer that shows progress in a terminal
or a notebook, and returns the bench's record. `attnlab/__init__.py` imports each function at its first use.
"""
