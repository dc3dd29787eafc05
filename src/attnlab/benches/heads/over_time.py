"""The heads of a run along its training: the scores at each checkpoint that was kept, beside the loss."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from attnlab.benches.heads.opening import OpenedHeads, first_tokens, heads_text, text_option
from attnlab.benches.heads.scores import known_tokens
from attnlab.benches.language import TrainedRun
from attnlab.benches.perplexity.texts import AnyText
from attnlab.calls import Call
from attnlab.contents import Content
from attnlab.errors import FileError
from attnlab.evaluation.heads.opening import open_heads
from attnlab.evaluation.heads.scores import Scores, score_heads
from attnlab.evaluation.heads.settings import ScoreSettings
from attnlab.evaluation.scoring.subjects import Subject, subject_of, trained_text
from attnlab.models.devices import find_device
from attnlab.models.transformer import Transformer
from attnlab.progress import SILENT, Observer
from attnlab.records import Called, record
from attnlab.runs.checkpoints import Checkpoint
from attnlab.runs.folder import Run, open_run
from attnlab.runs.loading import load_model, run_tokenizer
from attnlab.settings import changes


@dataclass(frozen=True)
class Moment:
    """The heads at a step of the training."""

    step: int
    found: Scores

    def best(self, measure: str) -> tuple[str, float] | None:
        """The head with the largest score, and its score. The control is that of the best induction head."""
        by = measure.removesuffix("_control")
        scored = [each for each in self.found.heads if measure in each.scores]
        if not scored:
            return None
        head = max(scored, key=lambda each: each.scores[by].value)
        return str(head.head), head.scores[measure].value


@record
class HeadsOverTime(Called):
    """The scores of the heads of a run at each checkpoint, and its losses."""

    shown_by: ClassVar[str] = "heads.over_time.over_time"

    run: str
    text: str
    moments: tuple[Moment, ...]
    validation: Mapping[int, float]
    """The nats per token of the validation split, by step."""
    training: Mapping[int, float]
    """The loss of training in nats per token, by step."""
    settings: ScoreSettings

    @property
    def turn(self) -> tuple[int, int, float] | None:
        """The two checkpoints between which the best induction score rises most, and by how much; None if no pair of
        checkpoints has this score, or if it never rises."""
        found = [(each.step, best[1]) for each in self.moments if (best := each.best("induction")) is not None]
        rises = [(a, b, high - low) for (a, low), (b, high) in pairwise(found) if high > low]
        return max(rises, key=lambda each: each[2], default=None)

    @Content(
        "run",
        "text",
        checkpoints=[Content(step=int, heads=dict[str, dict[str, float]])],
        validation=[Content(step=int, nats_per_token=float)],
        training=[Content(step=int, nats_per_token=float)],
    )
    def to_dict(self) -> dict[str, Any]:
        """The scores of every head at every checkpoint, and the losses."""
        return {
            "run": self.run,
            "text": self.text,
            "checkpoints": [
                {
                    "step": each.step,
                    "heads": {
                        str(head.head): {key: score.value for key, score in head.scores.items()}
                        for head in each.found.heads
                    },
                }
                for each in self.moments
            ],
            "validation": [{"step": step, "nats_per_token": loss} for step, loss in self.validation.items()],
            "training": [{"step": step, "nats_per_token": loss} for step, loss in self.training.items()],
        }


def over_time(
    model: str | Path | TrainedRun,
    text: AnyText | None = None,
    settings: ScoreSettings | None = None,
    observer: Observer = SILENT,
) -> HeadsOverTime:
    """Score the heads of a run at every checkpoint that it kept, always on the same tokens."""
    how, run = settings or ScoreSettings(), open_run(Path(model.path if isinstance(model, TrainedRun) else model))
    kept = run.checkpoints()
    if len(kept) < 2:
        has = f"the run has {len(kept)} checkpoint{'s' * (len(kept) != 1)}"
        raise FileError(run.path, f"{has}; expected at least 2: train with --keep-every N to keep every N-th step")
    first = _opened(run, kept[0], how)
    read = heads_text(first.subject, text)
    ids = first_tokens(first.subject, read, how.tokens)
    moments = []
    for each in observer.track(kept, f"checkpoints of {run.path}"):
        opened = _opened(run, each, how)
        found = score_heads(opened.inside, ids, known_tokens(opened), opened.subject.start, how.seed)
        moments.append(Moment(each.step, found))
    metrics = run.metrics()
    validation = {each["step"]: each["validation"]["nats_per_token"] for each in metrics if "validation" in each}
    training = {each["step"]: each["loss"] for each in metrics if "loss" in each}
    call = Call(
        "heads --over-time",
        (str(run.path),),
        text_option(text, read) | changes(how, ScoreSettings()),
        "heads.over_time",
    )
    return HeadsOverTime(str(run.path), read.name, tuple(moments), validation, training, how, made_by=call)


def _opened(run: Run, checkpoint: Checkpoint, how: ScoreSettings) -> OpenedHeads:
    """The model at a checkpoint."""
    tokenizer = run_tokenizer(run)
    model = load_model(run, checkpoint, tokenizer.size)
    if isinstance(model, Transformer):
        model.to(find_device(how.device))
    subject: Subject = subject_of(str(run.path), model, tokenizer, trained_text(run.config()))
    return OpenedHeads(subject, open_heads(subject))
