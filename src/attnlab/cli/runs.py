"""attnlab runs: the runs there are, and what they learnt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from attnlab.cli.outcome import Outcome
from attnlab.errors import ArgumentError, AttnlabError, FileError
from attnlab.files import read_json

if TYPE_CHECKING:
    from attnlab.runs.folder import Run


@dataclass(frozen=True)
class Runs:
    """A table of runs, best first; `runs compare A B` sets some side by side, their curves on one chart.

    Best is the least bits per byte of the held-out text, which compare whatever the tokens are; runs on different
    texts do not compare.

    Example: attnlab runs compare first-run second-run
    """

    what: Positional[Annotated[tuple[str, ...], arg(metavar="[DIR | compare RUN RUN ...]", help_behavior_hint="")]] = ()
    """A folder with runs in it (default: runs), or `compare` and the folders of runs."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the curves to this file: .png, .svg or .html."""
    json: bool = False
    """Print one JSON value instead of a table."""

    def run(self) -> Outcome:
        """The table, and the chart if one is asked for."""
        from attnlab.runs.folder import Run, open_run

        if self.plot is not None:
            from attnlab.report.charts import check_plot_path

            check_plot_path(self.plot)
        if self.what[:1] == ("compare",):
            if len(self.what) < 3:
                raise ArgumentError("compare", "expected the folders of two runs or more")
            found = [open_run(Path(path)) for path in self.what[1:]]
        else:
            if len(self.what) > 1:
                raise ArgumentError("DIR", f"expected one folder, or compare and runs, got {' '.join(self.what)}")
            folder = Path(self.what[0] if self.what else "runs")
            if not folder.is_dir():
                raise FileError(folder, "there is no such folder; attnlab train makes runs")
            places = sorted(path.parent for path in folder.glob("*/config.json"))
            found = [Run(place) for place in places if not any(place.glob("model*.safetensors"))]  # not exported ones
        rows = sorted(map(_row, found), key=lambda row: (row["text"], row["bits_per_byte"] or float("inf")))
        return self._told(found, rows)

    def _told(self, found: list[Run], rows: list[dict[str, Any]]) -> Outcome:
        shown: list[Any] = [_table(rows)] if rows else ["there are no runs here; attnlab train makes some"]
        if self.plot is not None:
            from attnlab.report.curves import save_curves

            same = len({row["tokens"] for row in rows}) == 1
            save_curves({str(run.path): run.metrics() for run in found}, self.plot, per_byte=not same)
            shown.append(f"the curves are in {self.plot}")
        if len({row["text"] for row in rows}) > 1:
            shown.append("runs on different texts do not compare")
        return Outcome({"runs": rows}, shown)


def _row(run: Run) -> dict[str, Any]:
    """What is to be said of a run; one that is damaged says so itself."""
    empty = dict.fromkeys(("steps", "seconds", "nats_per_token", "perplexity", "bits_per_byte", "lossless"))
    row: dict[str, Any] = {"run": str(run.path), "text": "", "model": "", "tokens": "", **empty, "state": ""}
    try:
        config, metrics = run.config(), run.metrics()
        row |= {"text": str(config["text"]), "model": config["model"]["kind"], "tokens": config["tokens"]["kind"]}
        row |= {"steps": max((each["step"] for each in metrics), default=0), "state": _state(run)}
        if config.get("task") == "knowledge":
            row["answered_rightly"] = _right(run)
        row["seconds"] = max((each.get("seconds", 0.0) for each in metrics), default=0.0)
        measured = [each["validation"] for each in metrics if "validation" in each]
        if measured:
            best = min(measured, key=lambda each: each["nats_per_token"])
            row |= {name: best[name] for name in ("nats_per_token", "perplexity", "bits_per_byte", "lossless")}
    except (AttnlabError, KeyError, TypeError) as error:
        row["state"] = f"damaged: {error}"
    return row


def _state(run: Run) -> str:
    return "finished" if (run.path / "result.json").exists() else "stopped"


def _right(run: Run) -> float | None:
    """Of a model that was finetuned to answer questions, the share of kept-out people about whom it is right."""
    path = run.path / "result.json"
    found = read_json(path, "a run's result.json").get("kept_out") if path.exists() else None
    return found["value"] if found else None


def _table(rows: list[dict[str, Any]]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("run", "text", "model", "tokens"):
        table.add_column(name, overflow="fold")
    for name in ("steps", "nats/token", "perplexity", "bits/byte"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for row in rows:
        numbers = [
            f"{row[name]:{how}}" if row[name] is not None else "–"
            for name, how in (
                ("steps", ",d"),
                ("nats_per_token", ".4f"),
                ("perplexity", ".4g"),
                ("bits_per_byte", ".4f"),
            )
        ]
        if row["lossless"] is False:  # the raw text would cost more
            numbers[-1] = f">{numbers[-1]}"
        state = "" if row["state"] == "finished" else row["state"]
        if row.get("answered_rightly") is not None:
            state = f"answers {100 * row['answered_rightly']:.1f} % of kept-out people's questions rightly"
        table.add_row(row["run"], row["text"], row["model"], row["tokens"], *numbers, state)
    return table
