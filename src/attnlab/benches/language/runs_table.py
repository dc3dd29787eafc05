"""A table of runs, best first: all runs in a folder, or some runs to compare."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from attnlab.arguments import checked
from attnlab.calls import Call
from attnlab.contents import Content
from attnlab.errors import ArgumentError, AttnlabError, FileError
from attnlab.evaluation.scoring.nats_to_units import check_perplexity
from attnlab.files import HIDDEN
from attnlab.progress import SILENT, Observer
from attnlab.records import Called, record
from attnlab.runs.folder import Run, open_run

WITHIN = ("config.json", "*/config.json", "runs/*/config.json", "*/*/metrics.jsonl", "runs/*/*/metrics.jsonl")
"""Where runs are, from a folder on: itself, in it, in its folder runs, and below those the runs of several seeds or of
a sweep. Two levels down, only a run's measurements tell it from a folder of another program."""


@dataclass(frozen=True)
class RunRow:
    """A row of the table: the settings, the score and the state of a run. A damaged run has only a state."""

    run: str
    text: str = ""
    model: str = ""
    tokens: str = ""
    steps: int | None = None
    seconds: float | None = None
    nats_per_token: float | None = None
    perplexity: float | None = None
    bits_per_byte: float | None = None
    lower_bound: bool = False
    """Whether bits_per_byte is only a lower bound: an older lab measured it without the bits of unknown words. A lower
    bound is not ranked, and is not in the chart."""
    state: str = ""
    answered_correctly: float | None = None
    """For a model that was finetuned on questions: the share of right answers about people who were kept out."""
    task: str = ""
    """classify for a classifier, knowledge for a model that learns facts; empty for other language models."""

    @property
    def comparable(self) -> float | None:
        """The bits per byte; None if it is only a lower bound."""
        return None if self.lower_bound else self.bits_per_byte


@record
class RunTable(Called):
    """Runs, grouped by text. The best run, with the fewest bits per byte on the held-out text, comes first."""

    shown_by: ClassVar[str] = "language.runs_and_scores.run_table"

    rows: tuple[RunRow, ...]

    def metrics(self) -> dict[str, list[dict[str, Any]]]:
        """The measurements of each run during training, by its folder."""
        return {row.run: Run(Path(row.run)).metrics() for row in self.rows if not row.state.startswith("damaged")}

    @Content(runs=list[RunRow])
    def to_dict(self) -> dict[str, Any]:
        """The rows."""
        return {"runs": [asdict(row) for row in self.rows]}


def runs(folder: Path | str = "runs", observer: Observer = SILENT) -> RunTable:
    """The runs in a folder and in its folder `runs`, or the run that the folder is."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FileError(folder, "there is no such folder; give the folder that has your runs")
    try:
        found = [Path(each.path) for each in os.scandir(folder) if each.is_dir()]
    except OSError as error:  # a glob would pass over it
        raise FileError.unreadable(folder, error) from error
    own = (folder / "config.json").is_file()  # then its folders are parts of the run, not runs
    locked = [Run(each) for each in found if not own and not os.access(each, os.R_OK | os.X_OK)]
    runs = [*map(Run, run_folders(folder)), *locked]
    return _table(runs, Call("runs", (str(folder),) if folder != Path("runs") else ()), observer)


def run_folders(folder: Path) -> list[Path]:
    """The folders of the runs in a folder and in its folder `runs`. Exported models are no runs."""
    found = {path.parent for each in WITHIN for path in folder.glob(each) if HIDDEN not in str(path.parent)}
    return sorted(
        place for place in found if (place / "config.json").is_file() and not any(place.glob("model*.safetensors"))
    )


@checked
def compare(*paths: Path | str) -> RunTable:
    """Some runs side by side."""
    if len(paths) < 2:
        raise ArgumentError("compare", f"expected the folders of at least two runs, got {len(paths)}")
    call = Call("runs compare", tuple(map(str, paths)), function="compare")
    return _table([open_run(Path(path)) for path in paths], call)


def _table(found: Sequence[Run], call: Call, observer: Observer = SILENT) -> RunTable:
    rows = []
    with observer.task("runs", len(found)) as task:
        for run in found:
            rows.append(_row(run))
            task.advance()
    rows.sort(key=lambda row: (row.text, row.comparable is None, row.comparable or 0.0))
    return RunTable(tuple(rows), made_by=call)


def _row(run: Run) -> RunRow:
    name = str(run.path)
    try:
        config, steps, seconds, measured = run.config(), 0, 0.0, []
        for each in run.measured():  # of millions of lines, only those with a validation are kept
            steps, seconds = max(steps, each["step"]), max(seconds, each.get("seconds", 0.0))
            measured += [each["validation"]] if "validation" in each else []
        told = {"text": str(config["text"]), "model": config["model"]["kind"], "tokens": config["tokens"]["kind"]}
        return RunRow(
            name,
            **told,
            steps=int(steps),
            seconds=seconds,
            **_validation(run, measured),
            state=run.state,
            answered_correctly=_right(run) if config.get("task") == "knowledge" else None,
            task=str(config.get("task", "")),
        )
    except (AttnlabError, KeyError, TypeError, ValueError, AttributeError, OSError) as error:
        return RunRow(name, state=f"damaged: {error}")


def _validation(run: Run, measured: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The validation that a finished run reports; of a stopped run, the best so far."""
    if not measured:
        return {}
    best = run.result().get("validation") if run.finished else None
    best = best or min(measured, key=lambda each: each["nats_per_token"])
    names = ("nats_per_token", "perplexity", "bits_per_byte")
    for name in names:
        if not isinstance(best[name], int | float):
            raise FileError(run.path, f"expected a number as {name}, got {best[name]!r}")
    check_perplexity(best["nats_per_token"], best["perplexity"])
    return {name: best[name] for name in names} | {"lower_bound": only_a_bound(best)}


def only_a_bound(validation: Mapping[str, Any]) -> bool:
    """Whether the bits per byte of a validation are a lower bound. Runs of an older lab note whether the raw text can
    be recovered from the tokens; if not, the bits of unknown words are missing."""
    return validation.get("lossless") is False


def _right(run: Run) -> float | None:
    found = run.result().get("kept_out") if run.finished else None
    return found["value"] if found else None
