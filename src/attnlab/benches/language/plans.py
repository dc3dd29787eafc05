"""What a training would do: every setting, and an estimate of its time. Nothing is trained, and no folder is made."""

from dataclasses import asdict, replace
from typing import Any, ClassVar

import torch

from attnlab.benches.language.configuring import training_call
from attnlab.calls import Call
from attnlab.records import Record, record
from attnlab.settings import Option, options, unused, write_used
from attnlab.training.language.config import Config
from attnlab.training.language.estimating import TimeEstimate, estimate
from attnlab.training.settings import Training
from attnlab.training.speed import as_used


@record
class TrainingPlan(Record):
    """Every setting that a training uses, and the estimate of its time on this machine."""

    shown_by: ClassVar[str] = "language.plans.training_plan"

    config: Config
    about: str
    """The description of the recipe; empty if single options were given."""
    estimate: TimeEstimate
    """The time of one run."""
    seeds: int = 1

    @property
    def used(self) -> Config:
        """The configuration with the device and the precision of this machine; a recipe stays as it is."""
        training = self.config.training
        if self.about or not isinstance(training, Training):
            return self.config
        return replace(self.config, training=as_used(training, torch.device(self.estimate.device)))

    def settings(self) -> dict[str, list[Option]]:
        """The options of the tokens, the model and the training with their values, by the beginning of their names."""
        config = self.used
        parts = {"--tokens.": config.tokens, "--model.": config.model, "--": config.training}
        return {
            prefix: [each for each in options(part) if each.name not in unused(part)] for prefix, part in parts.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """The configuration, and the estimate."""
        return {"about": self.about, **write_used(self.used), "seeds": self.seeds, "estimate": asdict(self.estimate)}

    @property
    def call(self) -> Call:
        """The call that shows it again."""
        if self.about:
            return Call("recipes", (self.config.recipe,))
        seeds = {"seeds": self.seeds} if self.seeds != 1 else {}
        return training_call(self.config, **seeds, dry_run=True)


def plan(config: Config, seeds: int = 1) -> TrainingPlan:
    """What training with this configuration would do."""
    return TrainingPlan(config, "", estimate(config), seeds)
