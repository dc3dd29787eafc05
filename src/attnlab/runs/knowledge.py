"""A model that was taught facts, in its run's folder: with its tokenizer, where its facts are from, what it had
memorised before it was finetuned, and what it answered about people who were kept out of that."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from attnlab.data.facts.sources import FactSource, OpenedFacts
from attnlab.errors import ArgumentError, FileError
from attnlab.files import read_json, write_whole
from attnlab.models.transformer import Transformer
from attnlab.runs.folder import Run, open_run
from attnlab.runs.loading import load_model
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


@dataclass(frozen=True)
class TaughtRun:
    """A run that has come to its end."""

    run: Run
    config: Mapping[str, Any]
    source: FactSource
    model: Transformer
    tokenizer: Tokenizer

    @property
    def shapes(self) -> list[tuple[str, str]]:
        """What stands before and after the name in the questions that it was taught."""
        return [(str(before), str(after)) for before, after in self.config["shapes"]]

    @property
    def longest_question(self) -> int:
        """The most tokens of a question that leave the room that training had."""
        return int(self.config["longest_question"])

    def told(self) -> OpenedFacts:
        """The facts that it was taught; they must be as they were."""
        told = self.source.open()
        if told.sha256 != self.config["facts"].get("sha256"):
            raise FileError(self.run.path, f"expected {self.source.name} as it was; it has changed since the run")
        return told

    def kept_out(self) -> list[dict[str, Any]]:
        """What it answered about the people who were kept out of finetuning, as `save_kept_out` wrote it."""
        found = read_json(self.run.path / KEPT_OUT, "the answers about people who were kept out").get("answers")
        if not isinstance(found, list) or not found:
            raise FileError(self.run.path / KEPT_OUT, "expected answers in it, found none")
        return found

    def memorised(self, people: int) -> list[bool]:
        """For each of so many held-out facts whether its line was completed before finetuning, as `save_memorised`
        wrote it."""
        found = read_json(self.run.path / MEMORISED, "who was memorised before finetuning").get("held_out")
        if not isinstance(found, list) or len(found) != people or not all(isinstance(each, bool) for each in found):
            raise FileError(self.run.path / MEMORISED, f"expected true or false for each of {people:,} held-out facts")
        return found


def save_kept_out(run: Run, answers: Sequence[Mapping[str, Any]]) -> None:
    """Write what a model answered about people who were kept out, so that nobody has to ask it again."""
    text = json.dumps({"answers": [dict(each) for each in answers]}, indent=1, ensure_ascii=False)
    write_whole(run.path / KEPT_OUT, f"{text}\n".encode())


def save_memorised(run: Run, held_out: Sequence[bool]) -> None:
    """Write whose lines a model completed before it was finetuned, which cannot be found out afterwards."""
    write_whole(run.path / MEMORISED, f"{json.dumps({'held_out': list(held_out)})}\n".encode())


def knowledge_config(run: Run) -> dict[str, Any]:
    """What config.json says, for the run of a model that was taught facts."""
    config = run.config()
    if config.get("task") != TASK:
        raise FileError(run.path, "expected a run of attnlab knowledge, got one of another kind")
    return config


def load_knowledge(path: Path | str, stage: Stage) -> TaughtRun:
    """The run in a folder, which must have come to the end of that stage."""
    run = open_run(Path(path))
    config = knowledge_config(run)
    if config.get("stage") != stage:
        raise FileError(run.path, WANTED[stage])
    if not (run.path / "result.json").exists():
        how = "it was stopped" if "earlier" in config else f"attnlab knowledge {stage} --resume goes on"
        raise FileError(run.path, f"expected a run that came to its end; {how}")
    try:
        source = FactSource.from_json(config["facts"])
        objectives, shapes = config["lesson"]["objectives"], config["shapes"]
        if not isinstance(objectives, dict) or not all(len(shape) == 2 for shape in shapes):
            raise ArgumentError("lesson", "expected objectives, and shapes of questions")
        if not isinstance(config["longest_question"], int):
            raise ArgumentError("longest_question", "expected a number of tokens")
    except (ArgumentError, KeyError, TypeError, AttributeError) as error:
        raise FileError(run.path / "config.json", f"expected the settings of a knowledge run: {error}") from error
    tokenizer = load_tokenizer(run.path / "tokenizer.json")
    model = load_model(run, run.best(), tokenizer.size)
    if not isinstance(model, Transformer):
        raise FileError(run.path / "config.json", "expected a Transformer as its model")
    return TaughtRun(run, config, source, model, tokenizer)
