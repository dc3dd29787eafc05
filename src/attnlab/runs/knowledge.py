"""A model that was taught facts, in its run's folder: with its tokenizer, where its facts are from, what it had
memorised before it was finetuned, and what it answered about people who were kept out of that."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from attnlab.data.facts.sources import HashedSource, OpenedFacts
from attnlab.errors import ArgumentError, FileError
from attnlab.files import read_json, write_whole
from attnlab.models.transformer import Transformer
from attnlab.runs.folder import Run, open_run
from attnlab.runs.loading import load_model
from attnlab.settings import Range, read, settings
from attnlab.text import Tokenizer, load_tokenizer

TASK = "knowledge"
"""What the config.json of such a run says it is for."""
KEPT_OUT = "kept_out.json"
MEMORISED = "memorised.json"

Stage = Literal["pretrain", "finetune"]
WANTED = {
    "pretrain": "expected a run that was pretrained, got one that was finetuned",
    "finetune": "expected a run that was finetuned, got one that was pretrained; attnlab knowledge finetune reads it",
}
"""What is said where a run is of the other stage."""


@settings
class TaughtConfig:
    """What a model that was taught facts needs of its config.json to be asked."""

    stage: Stage
    facts: HashedSource
    shapes: tuple[tuple[str, str], ...]
    """What stands before and after the name in the questions that were taught."""
    longest_question: Annotated[int, Range(0)]
    """The most tokens of a question that leave the room that training had."""


@settings
class Memorised:
    """For each held-out fact whether the model completed the person's line before it was finetuned."""

    held_out: tuple[bool, ...]


@dataclass(frozen=True)
class TaughtRun:
    """A run that has come to its end."""

    run: Run
    config: TaughtConfig
    model: Transformer
    tokenizer: Tokenizer

    def open_facts(self) -> OpenedFacts:
        """The facts that it was taught; they must be as they were."""
        opened = self.config.facts.open()
        if opened.sha256 != self.config.facts.sha256:
            raise FileError(self.run.path, f"expected {self.config.facts.name} as it was; it has changed since the run")
        return opened

    def memorised(self, facts: int) -> tuple[bool, ...]:
        """For each of so many held-out facts whether its line was completed before finetuning."""
        path = self.run.path / MEMORISED
        try:
            found = read(Memorised, read_json(path, "who was memorised before finetuning")).held_out
        except ArgumentError:
            found = ()
        if len(found) != facts:
            raise FileError(path, f"expected true or false for each of {facts:,} held-out facts")
        return found


def save_kept_out(run: Run, answers: Sequence[Mapping[str, Any]]) -> None:
    """Write what a model answered about people who were kept out, so that nobody has to ask it again."""
    text = json.dumps({"answers": [dict(each) for each in answers]}, indent=1, ensure_ascii=False)
    write_whole(run.path / KEPT_OUT, f"{text}\n".encode())


def save_memorised(run: Run, held_out: Sequence[bool]) -> None:
    """Write whose lines a model completed before it was finetuned, which cannot be found out afterwards."""
    write_whole(run.path / MEMORISED, f"{json.dumps({'held_out': list(held_out)})}\n".encode())


def check_task(run: Run) -> None:
    """Raise unless a run is that of a model that was taught facts."""
    if run.config().get("task") != TASK:
        raise FileError(run.path, "expected a run of attnlab knowledge, got one of another kind")


def finished_run(path: Path | str, stage: Stage) -> tuple[Run, TaughtConfig]:
    """The run in a folder, which must have come to the end of that stage, and what its config.json says."""
    run = open_run(Path(path))
    check_task(run)
    if run.config().get("stage") != stage:
        raise FileError(run.path, WANTED[stage])
    if not run.finished:
        how = "it was stopped" if "earlier" in run.config() else f"attnlab knowledge {stage} --resume goes on"
        raise FileError(run.path, f"expected a run that came to its end; {how}")
    return run, run.settings(TaughtConfig)


def load_knowledge(path: Path | str, stage: Stage) -> TaughtRun:
    """The model of a run that has come to the end of a stage."""
    run, config = finished_run(path, stage)
    tokenizer = load_tokenizer(run.path / "tokenizer.json")
    model = load_model(run, run.best(), tokenizer.size)
    if not isinstance(model, Transformer):
        raise FileError(run.path / "config.json", "expected a Transformer as its model")
    return TaughtRun(run, config, model, tokenizer)
