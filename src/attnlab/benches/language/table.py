"""The runs in a folder, the best first, and some of them side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from attnlab.errors import ArgumentError, AttnlabError, FileError
from attnlab.records import Record, command_line, record
from attnlab.runs.folder import Run, open_run


@dataclass(frozen=True)
class RunRow:
    """What is to be said of a run; one that is damaged says so itself."""

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
    """Whether bits_per_byte leaves out what unknown words hold, as an older lab measured it: it is no value then, is
    never ranked, and is in no chart."""
    state: str = ""
    answered_rightly: float | None = None
    """Of a model that was finetuned to answer questions, the share of people kept out whom it is right about."""

    @property
    def comparable(self) -> float | None:
        """The bits per byte, where that is a value."""
        return None if self.lower_bound else self.bits_per_byte


@record
class RunTable(Record):
    """Runs, text by text and the best first: the least bits per byte of the held-out text, which compare whatever the
    tokens are."""

    shown_by: ClassVar[str] = "language.run_table"

    rows: tuple[RunRow, ...]
    what: tuple[str, ...]
    """What was asked for, as it is typed."""

    def metrics(self) -> dict[str, list[dict[str, Any]]]:
        """What was measured of each run during training, by its folder."""
        return {row.run: Run(Path(row.run)).metrics() for row in self.rows if not row.state.startswith("damaged")}

    def to_dict(self) -> dict[str, Any]:
        """The rows."""
        return {"runs": [asdict(row) for row in self.rows]}

    @property
    def command(self) -> str:
        """The command line that lists them again."""
        return command_line(["runs", *self.what])


def runs(folder: Path | str = "runs") -> RunTable:
    """The runs in a folder."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FileError(folder, "there is no such folder; attnlab train makes runs")
    places = sorted(path.parent for path in folder.glob("*/config.json"))
    found = [Run(place) for place in places if not any(place.glob("model*.safetensors"))]  # not exported ones
    return _table(found, (str(folder),) if folder != Path("runs") else ())


def compare(*paths: Path | str) -> RunTable:
    """Some runs side by side."""
    if len(paths) < 2:
        raise ArgumentError("compare", "expected the folders of two runs or more")
    return _table([open_run(Path(path)) for path in paths], ("compare", *map(str, paths)))


def _table(found: Sequence[Run], what: tuple[str, ...]) -> RunTable:
    rows = sorted(map(_row, found), key=lambda row: (row.text, row.comparable is None, row.comparable or 0.0))
    return RunTable(tuple(rows), what)


def _row(run: Run) -> RunRow:
    name = str(run.path)
    try:
        config, metrics = run.config(), run.metrics()
        told = {"text": str(config["text"]), "model": config["model"]["kind"], "tokens": config["tokens"]["kind"]}
        return RunRow(
            name,
            **told,
            steps=max((each["step"] for each in metrics), default=0),
            seconds=max((each.get("seconds", 0.0) for each in metrics), default=0.0),
            **_best(metrics),
            state="finished" if run.finished else "stopped",
            answered_rightly=_right(run) if config.get("task") == "knowledge" else None,
        )
    except (AttnlabError, KeyError, TypeError) as error:
        return RunRow(name, state=f"damaged: {error}")


def _best(metrics: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The best validation of a run."""
    measured = [each["validation"] for each in metrics if "validation" in each]
    if not measured:
        return {}
    best = min(measured, key=lambda each: each["nats_per_token"])
    names = ("nats_per_token", "perplexity", "bits_per_byte")
    # A run of an older lab says itself whether the raw text can be had back from its tokens.
    return {name: best[name] for name in names} | {"lower_bound": best.get("lossless") is False}


def _right(run: Run) -> float | None:
    found = run.result().get("kept_out") if run.finished else None
    return found["value"] if found else None
