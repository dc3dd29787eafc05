"""The command line: a folder a group of commands, and this edge, where errors become one line and records are shown.

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
from attnlab.errors import AttnlabError, StoppedError, is_out_of_memory, system_words

if TYPE_CHECKING:
    from attnlab.records import Record

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
    except StoppedError as stopped:
        _complain(str(stopped))
        return _complain(f"attnlab {name}: interrupted", code=130)
    except KeyboardInterrupt:
        return _complain(f"attnlab {name}: interrupted", code=130)
    except BrokenPipeError:
        _abandon_stdout()  # the reader of the pipe has left; nobody is there to be told
        return 0
    except OSError as error:
        _abandon_stdout()
        return _complain(f"attnlab {name}: cannot write the output: {system_words(error)}")


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
    from attnlab.cli.commands import command_class, help_of_all, help_of_group

    if name in ("-h", "--help"):
        print(help_of_all())
        return 0
    if name == "--version":
        print(f"attnlab {__version__}")
        return 0
    group = help_of_group(name) if arguments[:1] in (["-h"], ["--help"]) else None
    if group:
        print(group)
        return 0
    name, command, arguments = command_class(name, arguments)
    return _run(name, command, arguments)


def _run(name: str, command_class: Any, arguments: list[str]) -> int:
    from attnlab.cli.parsing import named_option, parse

    command: Any = command_class
    try:
        command = parse(command_class, f"attnlab {name}", arguments)
        if command is None:
            return 0
        return _show(command)
    except AttnlabError as error:
        return _complain(f"attnlab {name}: {named_option(error, command)}")
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        return _complain(f"attnlab {name}: not enough memory for it; a smaller model, batch or context takes less")


def _show(command: Any) -> int:
    """Run a command, and show its record: as JSON, or as a person reads it; with the files that were asked for."""
    from attnlab.cli.files import check_files, write_files

    check_files(command)
    found: Record | None = command.run()
    if found is None or int(os.environ.get("RANK", "0")):  # shown already, or one of many processes that does not talk
        return 0
    written = write_files(command, found)
    if command.json:
        import json

        print(json.dumps(found.to_dict(), allow_nan=False))
    else:
        from attnlab.cli.show import show

        show(found, written)
    return 0 if found.holds else 1


def _complain(message: str, code: int = 2) -> int:
    """Say on one line of stderr what is wrong; a name that holds control characters cannot play with the terminal."""
    line = "".join(c if c.isprintable() else " " if c == "\n" else repr(c)[1:-1] for c in message)
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…", file=sys.stderr, flush=True)
    return code
