"""The command line: one folder for each group of commands. Here errors become one line, and records are shown.

This module imports almost nothing: `main` imports the commands when it can already handle an interrupt. A command
imports its bench, and with it torch, when it runs.
"""

import atexit
import contextlib
import gc
import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attnlab import __version__
from attnlab.cli.interrupts import end_promptly
from attnlab.errors import AttnlabError, FileError, StoppedError, UsageError, is_out_of_memory, system_words

if TYPE_CHECKING:
    from attnlab.records import Record

LONGEST_LINE = 500


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0; 1 if a check failed; 2 for wrong input."""
    name, *rest = (sys.argv[1:] if arguments is None else list(arguments)) or [""]
    try:
        if arguments is None:  # this process is the command alone
            end_promptly(name)
            atexit.register(gc.freeze)  # else Python would search all that was imported for cycles before it ends
        _settle_streams()
        code = _answer(name, rest)
        sys.stdout.flush()  # here, where a closed pipe can still be handled
        return code
    except AttnlabError as error:
        return _complain(f"attnlab: {error}")
    except StoppedError as stopped:
        _complain(str(stopped))
        return _complain(f"attnlab {name}: interrupted", code=130)
    except KeyboardInterrupt:
        return _complain(f"attnlab {name}: interrupted", code=130)
    except BrokenPipeError:
        _abandon_stdout()  # the reader has closed the pipe: nobody can see a message
        return 0
    except OSError as error:
        _abandon_stdout()
        return _complain(f"attnlab {name}: cannot write the output: {system_words(error)}")


def _settle_streams() -> None:
    """Make reading and printing safe: escape characters that the terminal cannot show, and replace closed streams.

    The next file that is opened would get the number of a closed stream, and then whatever is printed. A closed stdin
    is empty; a closed stdout is an error, since nobody would see the result.
    """
    closed = sys.stdout is None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (it stays open)
    if closed:
        raise AttnlabError("stdout is closed; to discard what a command prints, write > /dev/null")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _abandon_stdout() -> None:
    """Discard all further output to stdout, even when Python flushes it at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _answer(name: str, arguments: list[str]) -> int:
    from attnlab.cli.commands import command_class, help_of_all, help_of_group, help_of_longer

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
    code = _run(name, command, arguments)
    if arguments in (["-h"], ["--help"]):
        print(help_of_longer(name), end="")
    return code


def _run(name: str, command_class: Any, arguments: list[str]) -> int:
    from attnlab.cli.parsing import named_option, parse

    command: Any = command_class
    as_words = getattr(command_class, "as_words", list)
    try:
        command = parse(command_class, f"attnlab {name}", as_words(arguments))
        if command is None:
            return 0
        return _show(command)
    except AttnlabError as error:
        return _complain(f"attnlab {name}: {named_option(error, command)}")
    except OSError as error:
        if not isinstance(error.filename, str | bytes):
            raise  # of the output
        return _complain(f"attnlab {name}: {FileError.of(error)}")
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        return _complain(f"attnlab {name}: not enough memory; a smaller model, batch or context needs less")


def _show(command: Any) -> int:
    """Run a command, show its record as text or JSON, and write the files that were asked for."""
    from attnlab.cli.files import check_files, write_files
    from attnlab.training.torchrun import rank, ranks

    leads = rank() == 0
    if ranks() > 1 and not command.shared:
        if not leads:  # the first process tells it
            return 0
        from attnlab.cli.commands import shared_commands

        told = f"torchrun starts several processes, which can share the work of {', '.join(shared_commands())} only"
        raise UsageError(f"{told}; start this command without torchrun")
    check_files(command)
    found: Record | None = command.run()
    if found is None or not leads:  # already shown; or only the first process shows the record
        return 0
    written = write_files(command, found)
    if command.json:
        from attnlab.records import json_text

        print(json_text(found.to_dict()))
    else:
        from attnlab.cli.show import show

        show(found, written)
    return 0 if found.holds else 1


def _complain(message: str, code: int = 2) -> int:
    """Print one line to stderr. Control characters are escaped: they could change the terminal."""
    line = "".join(c if c.isprintable() else " " if c == "\n" else repr(c)[1:-1] for c in message)
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…", file=sys.stderr, flush=True)
    return code
