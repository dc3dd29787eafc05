"""Runs every code block of README.md, CONTRIBUTING.md, CHANGELOG.md and docs/, and follows every link between them.

What a block is, its first word says. One without a word, or with a word not listed here, fails: nothing is skipped.

python         runs; all such blocks of a document share their names, from the first to the last.
console, sh    lines that start with `$ ` are commands; what stands below one is what it prints, line by line. A line
               that is just `…` stands for any lines, or none. Without anything below, what it prints is not looked at.
csv, json, …   data, which must be of its kind. With a name behind the word (`csv keys.csv`) it is written to that file.
text, mermaid  for people; not run.

Of the commands, `attnlab …` runs and must end with exit code 0, or with N where the line ends in `# exit N`. `make …`
must name a target of the Makefile. `cd`, `git` and `source` are for people and are not run; no other is known.
Each document has a folder of its own, empty at first, in which its blocks run. If two documents have the same command
with `--out`, from equal folders, it runs once, and the second document gets a copy of what it made. In a block of `sh`,
whose output is not looked at, the training of a recipe is cut to a few steps.
"""

import contextlib
import csv
import hashlib
import io
import json
import re
import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from attnlab.cli import main

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

DATA: dict[str, Callable[[str], Any]] = {
    "csv": lambda text: list(csv.reader(io.StringIO(text), strict=True)),
    "json": json.loads,
    "toml": tomllib.loads,
}
COMMANDS = ("console", "sh")
FOR_PEOPLE = ("text", "mermaid")
NOT_RUN = ("cd", "git", "source")
SHELL = ("|", ">", ">>", "<", "&&", "||", ";", "&")
FEW_STEPS = ["--steps", "20"]

each_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


@each_document
@pytest.mark.usefixtures("as_installed")
def test_every_block_runs(path, tmp_path):
    run_document(path, tmp_path)


@each_document
def test_every_link_leads_somewhere(path):
    assert broken_links(path) == []


def test_there_is_something_to_run():
    """An empty README would pass everything above."""
    kinds = {block.language for block in blocks(ROOT / "README.md")}
    assert {"python", "console"} <= kinds
    assert len(DOCUMENTS) > 3


class DocumentError(AssertionError):
    """A block that does not do what the document says, with its file and line."""


@dataclass(frozen=True)
class Block:
    """A fenced block: the words behind the fence, its text, and the line of the document on which the text begins."""

    path: Path
    line: int
    words: list[str]
    text: str

    @property
    def language(self) -> str:
        return self.words[0] if self.words else ""

    def fail(self, message: str, line: int | None = None) -> DocumentError:
        return DocumentError(f"{self.path.name}, line {self.line if line is None else line}: {message}")


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a document."""
    lines = iter(enumerate(path.read_text(encoding="utf-8").splitlines(), start=1))
    for number, line in lines:
        opened = re.match(r"( *)(`{3,}|~{3,})(.*)", line)
        if not opened:
            continue
        indent, fence, words = opened.groups()
        text = []
        for _, line in lines:
            if line.strip() == fence:
                break
            text.append(line.removeprefix(indent) + "\n")
        else:
            raise DocumentError(f"{path.name}, line {number}: a block that does not end")
        yield Block(path, number + 1, words.split(), "".join(text))


def run_document(path: Path, folder: Path) -> None:
    """Run the blocks of a document in `folder`, from the first to the last."""
    names: dict[str, Any] = {"__name__": "__document__"}
    with contextlib.chdir(folder):
        for block in blocks(path):
            if block.language == "python":
                run_python(block, names)
            elif block.language in COMMANDS:
                run_commands(block)
            elif block.language in DATA:
                read_data(block)
            elif block.language not in FOR_PEOPLE:
                raise block.fail(f"do not know what to do with a block of {block.language!r}")


def run_python(block: Block, names: dict[str, Any]) -> None:
    """Run the code; what it prints is not looked at."""
    try:
        # Empty lines in front, so that the line numbers are those of the document.
        code = compile("\n" * (block.line - 1) + block.text, str(block.path), "exec")
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, names)
    except Exception as error:
        raise block.fail(f"{type(error).__name__}: {error}", failing_line(block, error)) from error


def failing_line(block: Block, error: Exception) -> int | None:
    """The line of the document at which the error was raised."""
    if isinstance(error, SyntaxError):
        return error.lineno
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(block.path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def read_data(block: Block) -> None:
    """Check that data is what it says, and write it to its file if it has one."""
    try:
        DATA[block.language](block.text)
    except ValueError as error:
        raise block.fail(f"not {block.language}: {error}") from error
    except csv.Error as error:
        raise block.fail(f"not csv: {error}") from error
    for name in block.words[1:]:
        Path(name).write_text(block.text, encoding="utf-8")


def run_commands(block: Block) -> None:
    """Run the commands of a block, and compare what they print with what stands below them."""
    commands: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        if line.startswith("$ "):
            commands.append((number, line[2:], []))
        elif commands:
            commands[-1][2].append(line)
        else:
            raise block.fail(f"expected a command, such as $ attnlab --help, got {line!r}", number)
    if not commands:
        raise block.fail("expected a command, got none")
    for number, command, shown in commands:
        try:
            run_command(command, shown, looked_at=block.language != "sh")
        except DocumentError as error:
            raise block.fail(f"$ {command}: {error}", number) from error


def run_command(command: str, shown: list[str], *, looked_at: bool = True) -> None:
    """Run one command as the rules say."""
    program, *arguments = shlex.split(command, comments=True) or [""]
    if not looked_at and arguments[:2] == ["train", "--recipe"] and "--steps" not in arguments:
        arguments += FEW_STEPS
    if any(argument in SHELL for argument in arguments):
        raise DocumentError("a shell would be needed")
    if program == "attnlab":
        expected = re.search(r"\s# exit (\d+)$", command)
        code, printed = run_once(arguments)
        if code != (int(expected[1]) if expected else 0):
            raise DocumentError(f"exit code {code}, and printed:\n{printed}")
        if shown and not matches(shown, printed.splitlines()):
            raise DocumentError("printed is not what is shown:\n" + printed + "\nshown:\n" + "\n".join(shown))
    elif program == "make":
        unknown = set(arguments) - make_targets()
        if unknown or not arguments:
            raise DocumentError(f"no target of the Makefile: {', '.join(sorted(unknown)) or 'none given'}")
    elif program not in NOT_RUN:
        raise DocumentError("do not know how to run this")


_made: dict[tuple[str, ...], tuple[str, Path]] = {}
"""What the commands with `--out` printed, and a copy of the folder that each made."""


def run_once(arguments: list[str]) -> tuple[int, str]:
    """The exit code and what a terminal would show; a command that made the same folder before is not run again."""
    if "--out" not in arguments[:-1]:
        return run_attnlab(arguments)
    folder = Path(arguments[arguments.index("--out") + 1])
    key = (*arguments, *(content(Path(word)) for word in arguments if Path(word).is_dir()))
    if key in _made:
        printed, copy = _made[key]
        shutil.copytree(copy, folder)
        return 0, printed
    code, printed = run_attnlab(arguments)
    if code == 0 and folder.is_dir():
        copy = Path.cwd().parent / f"made-{len(_made)}"
        shutil.copytree(folder, copy)
        _made[key] = printed, copy
    return code, printed


def content(folder: Path) -> str:
    """A hash of the files of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    parts = [part for path in files for part in (str(path.relative_to(folder)).encode(), path.read_bytes())]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def run_attnlab(arguments: list[str]) -> tuple[int, str]:
    """The exit code, and what a terminal would show."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = main(arguments)
    return code, printed.getvalue()


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines shown are those printed, `…` standing for any; spaces at the end of a line do not count."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed)) is not None


def make_targets() -> set[str]:
    """The targets of the Makefile that people may ask for."""
    phony = re.search(r"^\.PHONY:(.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert phony
    return set(phony[1].split())


def broken_links(path: Path) -> list[str]:
    """The links of a document to files, and to headings, that are not there. Links to elsewhere are not followed."""
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)[^)]*\)|(?:src|href)=\"([^\"]+)\"", prose(path)):
        link = "".join(target)
        if re.match(r"[a-z]+:", link):
            continue
        name, _, heading = link.partition("#")
        file = (path.parent / name) if name else path
        if not file.exists() or (heading and heading not in anchors(file)):
            broken.append(link)
    return broken


def prose(path: Path) -> str:
    """The text of a document without its fenced blocks and `code`."""
    text = re.sub(r"(?ms)^ *(`{3,}|~{3,}).*?^ *\1 *$", "", path.read_text(encoding="utf-8"))
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(path: Path) -> set[str]:
    """The names that a document's headings have in links: small letters, hyphens for spaces, no other signs."""
    text = re.sub(r"(?ms)^ *(`{3,}|~{3,}).*?^ *\1 *$", "", path.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


# A small document that does what it says, and what is said of it once a line of it is changed.

DOCUMENT = """\
# A small document

```csv a.csv
1
0
```

```csv b.csv
1
1
```

```console
$ attnlab extract --a a.csv --b b.csv
oblique projector; an error in the sum grows at most 1.41421 times
…
1  0.00000   0.00000
$ attnlab extract --a a.csv --b a.csv  # exit 1
$ attnlab design nonsense  # exit 2
attnlab design: expected no further argument, got 'nonsense'; expected --keys FILE; attnlab design --help explains
$ make test
$ cd attnlab
```

```python
half = 0.5
from pathlib import Path
```

```python
assert half + half == 1
assert Path("a.csv").read_text() == "1\\n0\\n"
```

```json
{"one": 1}
```

```text
whatever
```
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "small.md"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.usefixtures("as_installed")
def test_a_document_that_does_what_it_says(tmp_path):
    run_document(written(tmp_path, DOCUMENT), tmp_path)


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("line", "change", "said"),
    [
        ("1.41421", "1.41422", "small.md, line 14: $ attnlab extract --a a.csv --b b.csv: printed is not what"),
        ("1  0.00000   0.00000", "1  1.00000   0.00000", "small.md, line 14: $ attnlab extract --a a.csv --b b.csv: "),
        ("--help explains", "--help explains\nmore", "line 19: $ attnlab design nonsense  # exit 2: printed is not"),
        ("--b a.csv  # exit 1", "--b a.csv", "small.md, line 18: $ attnlab extract --a a.csv --b a.csv: exit code 1"),
        ("--b a.csv  # exit 1", "--b b.csv  # exit 1", "--b b.csv  # exit 1: exit code 0, and printed:\noblique"),
        ("nonsense  # exit 2", "nonsense  # exit 1", "line 19: $ attnlab design nonsense  # exit 1: exit code 2"),
        ("csv b.csv", "csv", "small.md, line 14: $ attnlab extract --a a.csv --b b.csv: exit code 2, and printed:"),
        ("$ make test", "$ make tea", "small.md, line 21: $ make tea: no target of the Makefile: tea"),
        ("$ make test", "$ make", "small.md, line 21: $ make: no target of the Makefile: none given"),
        ("$ cd attnlab", "$ rm -rf /", "small.md, line 22: $ rm -rf /: do not know how to run this"),
        ("$ cd attnlab", "$ attnlab --help | cat", "line 22: $ attnlab --help | cat: a shell would be needed"),
        ("```console\n", "```console\nfirst\n", "small.md, line 14: expected a command, such as $ attnlab --help, got"),
        ("half = 0.5", "half = 0.6", "small.md, line 31: AssertionError: "),
        ("half = 0.5", "half = 1 / 0", "small.md, line 26: ZeroDivisionError: division by zero"),
        ("half = 0.5", "half = = 0.5", "small.md, line 26: SyntaxError: invalid syntax"),
        ('{"one": 1}', "{'one': 1}", "small.md, line 36: not json: "),
        ("```json", "```yaml", "small.md, line 36: do not know what to do with a block of 'yaml'"),
        ("```text", "```", "small.md, line 40: do not know what to do with a block of ''"),
        ("whatever\n```", "whatever", "small.md, line 39: a block that does not end"),
    ],
)  # fmt: skip
def test_a_document_that_does_not(tmp_path, line, change, said):
    assert DOCUMENT.count(line) == 1
    with pytest.raises(DocumentError) as error:
        run_document(written(tmp_path, DOCUMENT.replace(line, change)), tmp_path)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a b", "a b", True),
        ("a b", "a  b", False),
        ("a", "a   ", True),
        ("…", "", True),
        ("…", "a b c", True),
        ("a … c", "a b b c", True),
        ("a … c", "a c", True),
        ("a … c", "a c d", False),
        ("… c", "c d", False),
        ("a.c", "abc", False),
        ("a", "", False),
    ],
)
def test_what_is_shown_against_what_is_printed(shown, printed, same):
    """Words stand for lines here, but for the two cases about spaces."""
    as_lines = str.split if "  " not in printed else str.splitlines
    assert matches(as_lines(shown), as_lines(printed)) is same


@pytest.mark.usefixtures("as_installed")
def test_a_command_of_two_documents_runs_once_and_makes_both_folders(tmp_path, monkeypatch):
    text = "```console\n$ attnlab train topics --model ngram --model.order 1 --out {}\n…\n```\n"
    for name in ("first", "second", "third"):
        (tmp_path / name).mkdir()
    run_document(written(tmp_path, text.format("counts")), tmp_path / "first")
    monkeypatch.setitem(globals(), "run_attnlab", None)
    run_document(written(tmp_path, text.format("counts")), tmp_path / "second")
    assert content(tmp_path / "first" / "counts") == content(tmp_path / "second" / "counts")
    with pytest.raises(TypeError):
        run_document(written(tmp_path, text.format("others")), tmp_path / "third")


def test_the_training_of_a_recipe_is_cut_short_only_where_nothing_is_looked_at(monkeypatch):
    asked = []
    monkeypatch.setitem(globals(), "run_once", lambda arguments: (asked.append(arguments), (0, ""))[1])
    command = "attnlab train --recipe induction --out run"
    for line, looked_at in ((command, True), (command, False), (f"{command} --steps 4", False)):
        run_command(line, [], looked_at=looked_at)
    assert [arguments[5:] for arguments in asked] == [[], FEW_STEPS, ["--steps", "4"]]


def test_links(tmp_path):
    (tmp_path / "there.md").write_text("# C ≫ 0, and more\n")
    text = "[a](there.md) [b](there.md#c--0-and-more) [c](#here) ![d](https://x.org/y) `[e](code.md)`\n\n# Here\n"
    assert broken_links(written(tmp_path, text)) == []
    text = '[a](gone.md) [b](there.md#gone) [c](#gone) ![d](gone.svg "title") <img src="gone.png">\n'
    assert broken_links(written(tmp_path, text)) == ["gone.md", "there.md#gone", "#gone", "gone.svg", "gone.png"]
