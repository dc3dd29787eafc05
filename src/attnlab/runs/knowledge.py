"""The run of a model that was trained on facts: its tokenizer, the source of its facts, the facts that it had memorised
before finetuning, and its answers about people who were kept out of finetuning."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from attnlab.data.facts.sources import HashedSource, OpenedFacts
from attnlab.errors import FileError
from attnlab.files import write_whole
from attnlab.models.transformer import Transformer
from attnlab.runs.folder import Run, open_run
from attnlab.runs.loading import load_model, run_tokenizer
from attnlab.settings import Range, read_file, settings
from attnlab.text import Tokenizer

TASK = "knowledge"
"""The `task` in the config.json of such a run."""
KEPT_OUT = "kept_out.json"
MEMORISED = "memorised.json"

Stage = Literal["pretrain", "finetune"]
WANTED = {
    "pretrain": "expected a pretrained run, got a finetuned one",
    "finetune": "expected a finetuned run, got a pretrained one; finetune it first: attnlab knowledge finetune",
}
"""The error for a run of the other stage."""


@settings
class TaughtConfig:
    """The part of config.json that is needed to ask the model questions."""

    stage: Stage
    facts: HashedSource
    shapes: tuple[tuple[str, str], ...]
    """The text before and after the name in the training questions."""
    longest_question: Annotated[int, Range(0)]
    """The most tokens of a question that fits as in training."""


@settings
class Memorised:
    """For each held-out fact, whether the model could complete the person's line before finetuning."""

    held_out: tuple[bool, ...]


@dataclass(frozen=True)
class TaughtRun:
    """A finished run, with its model and tokenizer."""

    run: Run
    config: TaughtConfig
    model: Transformer
    tokenizer: Tokenizer

    def open_facts(self) -> OpenedFacts:
        """The facts of the run; raises if they have changed since."""
        opened = self.config.facts.open()
        if opened.sha256 != self.config.facts.sha256:
            raise FileError(self.run.path, f"{self.config.facts.name} has changed since the run")
        return opened

    def memorised(self, facts: int) -> tuple[bool, ...]:
        """For each held-out fact, whether the model could complete its line before finetuning."""
        path = self.run.path / MEMORISED
        found = read_file(Memorised, path, "the memorised facts of a run").held_out
        if len(found) != facts:
            raise FileError(path, f"expected true or false for each of {facts:,} held-out facts")
        return found


def save_kept_out(run: Run, answers: Sequence[Mapping[str, Any]]) -> None:
    """Write the model's answers about the people who were kept out of finetuning."""
    text = json.dumps({"answers": [dict(each) for each in answers]}, indent=1, ensure_ascii=False)
    write_whole(run.path / KEPT_OUT, f"{text}\n".encode())


def save_memorised(run: Run, held_out: Sequence[bool]) -> None:
    """Write whose lines the model could complete before finetuning; afterwards this cannot be measured."""
    write_whole(run.path / MEMORISED, f"{json.dumps({'held_out': list(held_out)})}\n".encode())


def check_task(run: Run) -> None:
    """Raise unless the run is one of `attnlab knowledge`."""
    if run.config().get("task") != TASK:
        how = "make one with attnlab knowledge pretrain"
        raise FileError(run.path, f"expected a run of attnlab knowledge, got {run.kind}; {how}")


def finished_run(path: Path | str, stage: Stage) -> tuple[Run, TaughtConfig]:
    """The run in a folder and its configuration; raises unless the run has finished this stage."""
    run = open_run(Path(path))
    check_task(run)
    if run.config().get("stage") != stage:
        raise FileError(run.path, WANTED[stage])
    if not run.finished:
        how = "it was stopped" if "earlier" in run.config() else f"go on with: attnlab knowledge {stage} --resume"
        raise FileError(run.path, f"expected a finished run; {how}")
    return run, run.settings(TaughtConfig)


def load_knowledge(path: Path | str, stage: Stage) -> TaughtRun:
    """The model of a run that has finished a stage."""
    run, config = finished_run(path, stage)
    tokenizer = run_tokenizer(run)
    model = load_model(run, run.best(), tokenizer.size)
    if not isinstance(model, Transformer):
        raise FileError(run.path / "config.json", "expected a Transformer as the model")
    return TaughtRun(run, config, model, tokenizer)
