"""The front door in Python: `import attnlab as al`, and every bench's verbs, with the option names of the command line.

A verb makes typed settings of what it is given, calls the bench with an observer that shows progress where Python runs
(a terminal, a notebook), and returns the bench's record. `attnlab/__init__.py` imports each verb when it is first used.
"""
