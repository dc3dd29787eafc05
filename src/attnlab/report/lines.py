"""A name as one line of visible characters, wherever it is shown."""


def on_one_line(name: str) -> str:
    r"""A name that breaks no table, that no terminal obeys and that any drawing can hold: what cannot be seen is
    written out.

    >>> print(on_one_line("a\tb"), on_one_line("\x1b[31m"), on_one_line("naïve 🙂"))
    a\tb \x1b[31m naïve 🙂
    """
    return name if name.isprintable() else "".join(each if each.isprintable() else repr(each)[1:-1] for each in name)
