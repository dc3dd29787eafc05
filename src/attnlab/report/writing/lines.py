"""Names and texts as visible characters, for tables, terminals, charts and pages."""

LONGEST = 70
"""How many characters of a passage are shown at most."""
SEEN = {ord("\n"): "⏎\n", ord("\r"): "␍", ord("\t"): "⇥\t", 0x7F: "␡"}
SEEN |= {code: chr(0x2400 + code) for code in range(32) if code not in SEEN}
SEEN |= {code: f"⟨U+{code:04X}⟩" for code in (*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))}
SEEN |= {code: f"⟨U+{code:04X}⟩" for code in (0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF)}
"""Visible stand-ins on pages for characters that are invisible, or that change how others look."""
HIDDEN = {code: seen for code, seen in SEEN.items() if code not in (ord("\n"), ord("\t"))}
HIDDEN |= {code: f"⟨U+{code:04X}⟩" for code in range(0xD800, 0xE000)}
"""The same for sentences, whose lines and tabs stay; and for halves of surrogate pairs, which no file can hold."""


def harmless(text: str) -> str:
    r"""A text with its lines and tabs. Characters that steer a terminal, that are invisible or that turn others around
    are made visible.

    >>> harmless("a\x1b[31m\tb\u202ec")
    'a␛[31m\tb⟨U+202E⟩c'
    """
    return text.translate(HIDDEN)


def on_one_line(name: str) -> str:
    r"""A name on one line, with invisible characters written out: control characters would break tables, steer the
    terminal or crash the drawing.

    >>> print(on_one_line("a\tb"), on_one_line("\x1b[31m"), on_one_line("naïve 🙂"))
    a\tb \x1b[31m naïve 🙂
    """
    return name if name.isprintable() else "".join(each if each.isprintable() else repr(each)[1:-1] for each in name)


def visible(text: str) -> str:
    """A piece of a text on one line, shortened, with its newlines and first space made visible.

    >>> visible(" to be,\\nor"), visible("\\x1b[31m")
    ('␣to be,⏎or', '\\\\x1b[31m')
    """
    line = text.replace("\n", "⏎")
    line = f"␣{line[1:]}" if line.startswith(" ") else line
    return shortened(on_one_line(line))


def printable(text: str) -> str:
    """A passage on one line, shortened, and without control characters.

    >>> printable("to be,\\nor \\x1b[31mnot")
    'to be,⏎or \\\\x1b[31mnot'
    """
    return shortened(on_one_line(" ".join(text.replace("\n", "⏎").split())))


def shortened(line: str) -> str:
    """The line, cut off at `LONGEST` characters."""
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
