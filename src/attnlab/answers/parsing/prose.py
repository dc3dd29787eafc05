"""The words around formulas: lines, \\text{where}, (C → ∞). Every change keeps the place of each character, but
for formulas written in another form (`cases`)."""

import re

from attnlab.answers.parsing.cases import in_one_formula

RELATION = re.compile(
    r"[≫≪><→≠∀]|\\(?:gg|ll|gt|lt|to|rightarrow|neq?|notin|forall)(?![A-Za-z])"
    r"|\b(?:large|small|tends|goes|grows|approaches)\b"
)
EQUALS = re.compile(r"(?<![!<>])=|≈|\\approx|→|->|\\to(?![A-Za-z])")
TEXT = re.compile(r"\\(?:text|textrm|mathrm|mbox|textit)\s*\{([^{}]*)\}")
SPEECH = re.compile(
    r"\s|^(?:and|where|with|for|as|when|if|large|small|let|choose|take|then|all|every|each|any|is|are|big|tiny|huge)$"
)
REASON = re.compile(r"[\s,;]+\(?(?:since|because)\s[^\n]*")
LIMIT = re.compile(r"\\?\blim(?:\\limits)?\s*_\s*\{([^{}]*)\}")
GAP = re.compile(r"\\q?quad(?![A-Za-z])")
LINE = re.compile(r"\n|\\\\(?:\[[^\]\n]{0,20}\])?")
CLOSED_BY = {")": "(", "]": "["}


def clauses(text: str) -> list[str]:
    """The lines of an answer, with commas where words or wide gaps separate formulas and conditions."""
    text = in_one_formula(REASON.sub("", text.rstrip(" .\n\t")))
    text = TEXT.sub(_speech, f"{text}." if text.endswith(r"\right") else text)
    return [GAP.sub(_gap, _asides(_limits(line))) for line in _lines(text)]


def _limits(line: str) -> str:
    """A line with its limits as conditions at the end: \\lim_{C → ∞} C k_a becomes C k_a, C → ∞."""
    said = LIMIT.findall(line)
    return ", ".join([LIMIT.sub(lambda found: " " * len(found[0]), line), *said]) if said else line


def _speech(found: re.Match[str]) -> str:
    """\\text{ where } without its command; the names of symbols stay as they are."""
    words = found[1].strip()
    whole = found[0]
    if not SPEECH.search(words):
        return whole
    start = whole.index("{") + 1
    return " " * start + found[1] + " "


def _gap(found: re.Match[str]) -> str:
    """A wide gap as a comma, if a condition or another equation comes after it."""
    rest = re.split(r"[,;\n]|\\q?quad", found.string[found.end() : found.end() + 100])[0]
    goes_on = re.match(r"\s*(?:[-+−*·/&]|$)", rest)
    apart = not goes_on and (RELATION.search(rest) or EQUALS.search(rest))
    return "," + " " * (len(found[0]) - 1) if apart else found[0]


def _asides(line: str) -> str:
    """A line with commas in place of brackets around a condition: q = C k_a (C → ∞)."""
    letters, opened = list(line), []
    for place, letter in enumerate(line):
        if letter in "([":
            opened.append(place)
        elif letter in CLOSED_BY and opened:
            start = opened.pop()
            inside = line[start + 1 : place]
            if len(inside) <= 60 and line[start] == CLOSED_BY[letter] and RELATION.search(_bare(inside)):
                letters[start], letters[place] = ",", ","
    return "".join(letters)


def _lines(text: str) -> list[str]:
    """The lines of a text; a line that is no equation and no condition is joined to the line before."""
    lines: list[str] = []
    for line in _split(text):
        first = _bare(re.split("[,;]", line)[0])
        if lines and not EQUALS.search(first) and not RELATION.search(first):
            lines[-1] += f" {line}"
        elif line.strip():
            lines.append(line)
    return lines


def _split(text: str) -> list[str]:
    """The text cut at line ends and at \\\\, but not inside of braces."""
    found, begin = [], 0
    depth = seen = 0
    for cut in LINE.finditer(text):
        between = re.sub(r"\\[{}]", "", text[seen : cut.start()])
        depth += between.count("{") - between.count("}")
        seen = cut.start()
        if depth <= 0 or cut[0] == "\n":
            found.append(text[begin : cut.start()])
            begin = seen = cut.end()
            depth = 0
    return [*found, text[begin:]]


def _bare(text: str) -> str:
    """The text without what is in braces: the = in Σ_{i=1} makes no equation."""
    return re.sub(r"\{[^{}]*\}", "", re.sub(r"\{[^{}]*\}", "", text))
