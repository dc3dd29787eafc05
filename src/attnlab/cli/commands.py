"""The commands: the name and the class of each."""

import ast
import importlib
from functools import cache
from pathlib import Path
from typing import Any

from attnlab import __version__
from attnlab.errors import UsageError, nearest

COMMANDS = {
    "run": "claims.run:Run",
    "claims": "claims.claims:Claims",
    "studio": "studio.studio:Studio",
    "check": "answers.check:Check",
    "robustness": "attention.averaging:Robustness",
    "remedies": "attention.averaging:Remedies",
    "weigh": "attention.weigh:Weigh",
    "design": "attention.design:Design",
    "extract": "attention.extract:Extract",
    "construct": "attention.construct:Construct",
    "data": "language.data:Data",
    "train": "language.train:Train",
    "recipes": "language.recipes:Recipes",
    "sample": "language.sample:Sample",
    "score": "language.score:Score",
    "runs": "language.runs:Runs",
    "perplexity": "perplexity.perplexity:Perplexity",
    "audit": "perplexity.audit:Audit",
    "export": "language.export:Export",
    "heads": "heads.scores:Scores",
    "heads look": "heads.look:Look",
    "heads ablate": "heads.ablate:Ablate",
    "heads theory": "heads.theory:Theory",
    "heads composition": "heads.composition:Composition",
    "classify train": "classify.train:Train",
    "classify evaluate": "classify.evaluate:Evaluate",
    "classify predict": "classify.predict:Predict",
    "classify explain": "classify.explain:Explain",
    "knowledge pretrain": "knowledge.pretrain:Pretrain",
    "knowledge finetune": "knowledge.finetune:Finetune",
    "knowledge evaluate": "knowledge.evaluate:Evaluate",
    "knowledge thresholds": "knowledge.thresholds:Thresholds",
    "knowledge ask": "knowledge.ask:Ask",
    "knowledge people": "knowledge.people:People",
    "knowledge run": "knowledge.run:Run",
}


@cache
def commands() -> dict[str, Any]:
    """The class of each command, by its name of one or two words."""
    return {name: _class(place) for name, place in COMMANDS.items()}


def command_class(name: str, arguments: list[str]) -> tuple[str, Any, list[str]]:
    """The command that was typed: its whole name, its class, and the arguments that are left. A command of one word may
    stand beside commands of two words that begin with it: heads, heads ablate."""
    parts = [each for each in COMMANDS if each.startswith(f"{name} ")]
    if arguments and f"{name} {arguments[0]}" in parts:
        name, arguments = f"{name} {arguments[0]}", arguments[1:]
    elif parts and name not in COMMANDS:
        got = f", got {arguments[0]!r}" if arguments else ""
        raise UsageError(f"expected {' or '.join(parts)}{got}; attnlab {name} --help explains them")
    if name not in COMMANDS:
        raise UsageError(_unknown_command(name))
    return name, _class(COMMANDS[name]), arguments


def shared_commands() -> list[str]:
    """The commands whose work the processes of torchrun share."""
    return [name for name, each in commands().items() if each.shared]


def help_of_all() -> str:
    """What `attnlab --help` prints."""
    return "\n".join(
        [
            f"attnlab {__version__}: a laboratory for attention and the small language models built on it.",
            "",
            "usage: attnlab COMMAND [OPTIONS]",
            "",
            *_listed(COMMANDS),
            "",
            "attnlab COMMAND --help explains a command. Every command takes --json.",
            "Exit codes: 0: success; 1: a check failed; 2: wrong input.",
            "",
            "Example: attnlab robustness --keys 10 --scale 5",
            "",
            "The glossary explains the terms: docs/glossary.md in the project.",
        ]
    )


def help_of_group(name: str) -> str | None:
    """The help of a command that needs a second word; None for any other."""
    if name in COMMANDS:
        return None
    parts = {each: place for each, place in COMMANDS.items() if each.startswith(f"{name} ")}
    if not parts:
        return None
    words = " | ".join(each.partition(" ")[2] for each in parts)
    lines = [f"usage: attnlab {name} {{{words}}} [OPTIONS]", "", *_listed(parts), ""]
    return "\n".join([*lines, f"Each has its own help: attnlab {next(iter(parts))} --help"])


def help_of_longer(name: str) -> str:
    """The commands whose names begin with that of a command, such as heads look; empty if there are none."""
    parts = {each: place for each, place in COMMANDS.items() if each.startswith(f"{name} ")}
    return "\n".join(["", "commands beside it:", *_listed(parts), ""]) if parts else ""


def _class(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(f"attnlab.cli.{module}"), name)


def _listed(places: dict[str, str]) -> list[str]:
    width = max(map(len, places))
    return [f"  {name:{width}}  {_summary(place)}" for name, place in places.items()]


def _summary(place: str) -> str:
    """The first line of a command's docstring, read from its file: importing every command takes twice as long."""
    module, _, name = place.partition(":")
    file = Path(__file__).parent.joinpath(*module.split(".")).with_suffix(".py")
    classes = (each for each in ast.parse(file.read_bytes()).body if isinstance(each, ast.ClassDef))
    return next((ast.get_docstring(each) or "").partition("\n")[0] for each in classes if each.name == name)


def _unknown_command(name: str) -> str:
    close = nearest(name, COMMANDS)
    if close:
        return f"did you mean {close}? There is no command {name!r}; attnlab --help lists all commands"
    got = f"got {name!r}" if name else "such as attnlab robustness"
    return f"expected a command, {got}; attnlab --help lists all commands"
