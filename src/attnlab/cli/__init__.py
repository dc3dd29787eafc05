"""The command line: a file a command, and this edge, where errors become one line and results one value.

Importing it imports next to nothing: the commands come when `main` can already answer an interrupt, and each brings
its bench, and with it torch, along when it runs.
"""

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attnlab import __version__
from attnlab.errors import ArgumentError, AttnlabError, is_out_of_memory, system_words

if TYPE_CHECKING:
    from attnlab.cli.outcome import Outcome

NEVER_FOLDED = 100_000
LONGEST_LINE = 500


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1 for a check that does not hold, 2 for bad input."""
    name, *rest = (sys.argv[1:] if arguments is None else list(arguments)) or [""]
    try:
        _settle_streams()
        code = _answer(name, rest)
        sys.stdout.flush()  # here, where a reader who has left can still be told from a bug
        return code
    except AttnlabError as error:
        return _complain(f"attnlab: {error}")
    except KeyboardInterrupt:
        return _complain(f"attnlab {name}: interrupted", code=130)
    except BrokenPipeError:
        _abandon_stdout()  # the reader of the pipe has left; nobody is there to be told
        return 0
    except OSError as error:
        _abandon_stdout()
        return _complain(f"attnlab {name}: cannot write the output: {system_words(error)}")


def commands() -> dict[str, Any]:
    """The class of each command by its name, of one word or of two."""
    from attnlab.cli.audit import Audit
    from attnlab.cli.check import Check
    from attnlab.cli.claims import Claims
    from attnlab.cli.classify_evaluate import ClassifyEvaluate
    from attnlab.cli.classify_explain import ClassifyExplain
    from attnlab.cli.classify_predict import ClassifyPredict
    from attnlab.cli.classify_train import ClassifyTrain
    from attnlab.cli.construct import Construct
    from attnlab.cli.data import Data
    from attnlab.cli.design import Design
    from attnlab.cli.export import Export
    from attnlab.cli.extract import Extract
    from attnlab.cli.knowledge_ask import KnowledgeAsk
    from attnlab.cli.knowledge_evaluate import KnowledgeEvaluate
    from attnlab.cli.knowledge_finetune import KnowledgeFinetune
    from attnlab.cli.knowledge_pretrain import KnowledgePretrain
    from attnlab.cli.knowledge_run import KnowledgeRun
    from attnlab.cli.perplexity import Perplexity
    from attnlab.cli.remedies import Remedies
    from attnlab.cli.robustness import Robustness
    from attnlab.cli.run import Run
    from attnlab.cli.runs import Runs
    from attnlab.cli.sample import Sample
    from attnlab.cli.train import Train

    classes = (
        Run,
        Claims,
        Check,
        Robustness,
        Remedies,
        Design,
        Extract,
        Construct,
        Data,
        Train,
        Sample,
        Runs,
        Perplexity,
        Audit,
        Export,
        ClassifyTrain,
        ClassifyEvaluate,
        ClassifyPredict,
        ClassifyExplain,
        KnowledgePretrain,
        KnowledgeFinetune,
        KnowledgeEvaluate,
        KnowledgeAsk,
        KnowledgeRun,
    )
    return {_words(command.__name__): command for command in classes}


def _words(name: str) -> str:
    """A class's name as it is typed.

    >>> _words("ClassifyTrain")
    'classify train'
    """
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()


def _settle_streams() -> None:
    """Make the streams take what is printed: characters that a terminal lacks are escaped, a closed stdout is none."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (it stays open, as stdout does)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _abandon_stdout() -> None:
    """Let nothing more be written to stdout, not even when Python ends and flushes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _answer(name: str, arguments: list[str]) -> int:
    if name in ("-h", "--help"):
        print(_help())
        return 0
    if name == "--version":
        print(f"attnlab {__version__}")
        return 0
    return _run(name, arguments)


def _run(name: str, arguments: list[str]) -> int:
    from attnlab.cli.usage import UsageError, parse

    known = commands()
    parts = [each for each in known if each.startswith(f"{name} ")]
    if parts and arguments[:1] in (["-h"], ["--help"]):
        print(_help_of(name, {part: known[part] for part in parts}))
        return 0
    if parts and (not arguments or f"{name} {arguments[0]}" not in known):
        got = f", got {arguments[0]!r}" if arguments else ""
        raise UsageError(f"expected {' or '.join(parts)}{got}; attnlab {name} --help explains them")
    if parts:
        name, arguments = f"{name} {arguments[0]}", arguments[1:]
    if name not in known:
        raise UsageError(_unknown_command(name, list(known)))
    command = None
    try:
        command = parse(known[name], f"attnlab {name}", arguments)
        if command is None:
            return 0
        outcome = command.run()
    except AttnlabError as error:
        return _complain(f"attnlab {name}: {_with_option(error, command or known[name])}")
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        return _complain(f"attnlab {name}: not enough memory for it; a smaller model, batch or context takes less")
    if outcome is None:  # one of many processes, and not the one that talks
        return 0
    _print(outcome, as_json=command.json)
    return outcome.exit_code


def _help() -> str:
    return "\n".join(
        [
            f"attnlab {__version__}: a laboratory for attention. Every number it prints can be trusted.",
            "",
            "usage: attnlab COMMAND [OPTIONS]",
            "",
            *_listed(commands()),
            "",
            "attnlab COMMAND --help explains a command. Every command takes --json.",
            "Exit codes: 0, 1 for a check that does not hold, 2 for bad input.",
            "",
            "Example: attnlab robustness --keys 10 --scale 5",
        ]
    )


def _help_of(name: str, parts: dict[str, Any]) -> str:
    """The help of a command that needs a second word."""
    lines = [f"usage: attnlab {name} WORD [OPTIONS]", "", *_listed(parts), ""]
    return "\n".join([*lines, f"attnlab {next(iter(parts))} --help explains one of them."])


def _listed(known: dict[str, Any]) -> list[str]:
    width = max(map(len, known))
    return [f"  {name:{width}}  {(command.__doc__ or '').partition(chr(10))[0]}" for name, command in known.items()]


def _unknown_command(name: str, known: list[str]) -> str:
    from attnlab.cli.usage import nearest

    expected = f"expected a command, one of {', '.join(known)}"
    close = nearest(name, known)
    if close:
        return f"{expected}; got {name!r}, did you mean {close}?"
    return f"{expected}; got {name!r}" if name else f"{expected}; attnlab --help explains them"


def _print(outcome: "Outcome", *, as_json: bool) -> None:
    if as_json:
        import json

        print(json.dumps(outcome.value, allow_nan=False))
        return
    from rich.console import Console

    # Where nobody has a window, nothing is folded. Printed by us: rich would end the program where a pipe has closed.
    console = Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else NEVER_FOLDED)
    with console.capture() as captured:
        for each in outcome.shown:
            console.print(each)
    print(captured.get(), end="")


def _with_option(error: AttnlabError, command: Any) -> str:
    """The error's words, with the option as it is typed where an option is to blame."""
    from attnlab.cli.usage import option_names

    if isinstance(error, ArgumentError):
        option = f"--{error.argument.replace('_', '-')}"
        if option in option_names(command):
            return f"{option}: {error.message}"
    return str(error)


def _complain(message: str, code: int = 2) -> int:
    """Say on one line of stderr what is wrong; a name that holds control characters cannot play with the terminal."""
    line = "".join(c if c.isprintable() else " " if c == "\n" else repr(c)[1:-1] for c in message)
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…", file=sys.stderr, flush=True)
    return code
