"""Errors for formulas that cannot be read: where, what was expected, and what is there."""

import re

from lark import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from attnlab.errors import AttnlabError, either

# The parser's terminals in words.
WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "LPAR": "'('",
    "RPAR": "')'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LSQB": "'['",
    "RSQB": "']'",
    "_IS": "'='",
    "PLUS": "an operator",
    "_MINUS": "an operator",
    "$END": "the end",
}


class FormulaError(AttnlabError):
    """A formula that cannot be read: where, what was expected, and what is there."""


class UnknownSymbolError(FormulaError):
    """A formula with a name that is not a symbol of the problem."""

    def __init__(self, name: str, message: str):
        super().__init__(message)
        self.name = name


def complaint(error: UnexpectedInput, text: str) -> str:
    """Where a formula cannot be read, what was expected there, and what is there."""
    expected: set[str] = set()
    if isinstance(error, UnexpectedCharacters):
        expected = {"PLUS", "NAME", "NUMBER"}  # no formula has this character: any term or operator may follow
    elif isinstance(error, UnexpectedToken | UnexpectedEOF):
        expected = set(getattr(error, "accepts", None) or error.expected)
    place = error.pos_in_stream if error.pos_in_stream is not None and error.pos_in_stream >= 0 else len(text)
    ended = place >= len(text) or getattr(getattr(error, "token", None), "type", "") == "$END"
    got = "but the formula ends" if ended else f"got '{_word(text[place:])}'"
    where = len(text.rstrip()) + 1 if ended else place + 1
    return f"{shown(text)}, character {where}: expected {_terminals_in_words(expected)}, {got}"


def _word(text: str) -> str:
    """The beginning of a text: a whole LaTeX command, or a character."""
    command = re.match(r"\\[A-Za-z]+", text)
    return command[0] if command else text[0]


def _terminals_in_words(expected: set[str]) -> str:
    """The terminals in words, the closing bracket first, since it is most often missing."""
    can_start = {"NAME", "NUMBER", "LPAR"} <= expected
    if can_start and not {"RPAR", "$END", "RBRACE"} & expected:
        return "a name, a number or '('"
    closing = [WORDS[each] for each in ("RPAR", "RBRACE", "RSQB") if each in expected]
    rest = [WORDS[each] for each in ("_IS", "NAME", "NUMBER") if each in expected and (can_start or not closing)]
    operator = ["an operator"] if {"PLUS", "_MINUS"} & expected else []
    words = dict.fromkeys([*closing, *operator, *rest]) or ["another character"]
    return either(words)


def shown(text: str) -> str:
    """A formula in quotes, for a message."""
    text = " ".join(text.split())
    return f"'{text}'" if len(text) <= 80 else f"'{text[:79]}…'"
