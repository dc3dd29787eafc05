"""Names and texts as one line of visible characters, wherever they are shown."""

LONGEST = 70
"""So many characters of a passage are shown."""


def on_one_line(name: str) -> str:
    r"""A name that breaks no table, that no terminal obeys and that any drawing can hold: what cannot be seen is
    written out.

    >>> print(on_one_line("a\tb"), on_one_line("\x1b[31m"), on_one_line("naïve 🙂"))
    a\tb \x1b[31m naïve 🙂
    """
    return name if name.isprintable() else "".join(each if each.isprintable() else repr(each)[1:-1] for each in name)


def visible(text: str) -> str:
    """A piece of a text on one line, shortened, its spaces and ends of line made visible.

    >>> visible(" to be,\\nor"), visible("\\x1b[31m")
    ('␣to be,⏎or', '\\\\x1b[31m')
    """
    line = text.replace("\n", "⏎")
    line = f"␣{line[1:]}" if line.startswith(" ") else line
    return shortened(on_one_line(line))


def printable(text: str) -> str:
    """A passage on one line of a terminal, shortened, and with nothing in it that the terminal would obey.

    >>> printable("to be,\\nor \\x1b[31mnot")
    'to be,⏎or \\\\x1b[31mnot'
    """
    return shortened(on_one_line(" ".join(text.replace("\n", "⏎").split())))


def shortened(line: str) -> str:
    """A line of so many characters at most."""
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
