"""attnlab knowledge pretrain: facts into a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro
from tyro.conf import Positional, arg

from attnlab.cli.options import Dotted, explain_dotted, named_options, take_dotted, typed_value, with_dotted
from attnlab.cli.outcome import Outcome
from attnlab.cli.usage import Adaptive
from attnlab.errors import ArgumentError
from attnlab.training.settings import Training

if TYPE_CHECKING:
    from attnlab.data.facts.sources import World

RECIPE = "quick"


@dataclass(frozen=True)
class KnowledgePretrain(Adaptive):
    """Put facts into a model: pretrain it on lines about people.

    The run's folder holds config.json, metrics.jsonl, the tokenizer and the last checkpoint. Ctrl-C saves and says how
    to go on. A folder of facts has lines.txt (`Name. …` in each line), training.tsv and held_out.tsv (a question, a tab
    and an answer).

    Example: attnlab knowledge pretrain biographies --people 20 --steps 20 --out first-lines
    """

    facts: Positional[Annotated[str, arg(metavar="[FACTS]", help_behavior_hint="")]] = "biographies"
    """biographies (generated, no download), birthplaces, or a folder."""
    recipe: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = RECIPE
    """All settings by one name, which other options change: quick; for a GPU coursework, views, recital."""
    people: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """How many people there are in the biographies (default: 100)."""
    distractors: int = 0
    """How many other places than the birthplace each line of the biographies names, 0 to 2: with some, it must be
    understood."""
    objectives: Annotated[str, arg(metavar="NAME=SHARE,…", help_behavior_hint="")] = ""
    """What is learnt, and how much of each: next-token, span, spans, rotated, name-span, cue, wrapped, recital; else as
    the recipe says."""
    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """The run's folder, new or empty; else one under runs/ that is named after the time."""
    resume: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """Go on with a run that was stopped, from its last checkpoint."""
    training: Training = field(default_factory=Training)
    dotted: Annotated[Dotted, tyro.conf.Suppress] = field(default_factory=dict)
    json: bool = False
    """Print one JSON value instead of lines."""

    @classmethod
    def prepared(cls, arguments: Sequence[str]) -> tuple[list[str], KnowledgePretrain]:
        """The defaults of the recipe, and the dotted options taken out."""
        from attnlab.training.facts.recipes import find_recipe

        rest, dotted = take_dotted(arguments, ("model", "world"))
        recipe = find_recipe(typed_value(rest, "--recipe") or RECIPE)
        return rest, cls(training=recipe.pretraining.training, dotted=dotted)

    @classmethod
    def explained(cls, arguments: Sequence[str]) -> str:
        """The options of the model, and of the generated world."""
        return explained_options(typed_value(arguments, "--recipe") or RECIPE)

    def run(self) -> Outcome | None:
        """Pretrain, and say how much is memorised."""
        from attnlab.cli.knowledge_course import Course, read_objectives
        from attnlab.cli.knowledge_lesson import resume_course, start_course
        from attnlab.data.facts.sources import FactSource
        from attnlab.training.facts.lessons import Lesson
        from attnlab.training.facts.recipes import find_recipe

        if self.resume is not None:
            check_alone(self, self.prepared([])[1])
            return resume_course(self.resume, "pretrain")
        recipe = find_recipe(self.recipe)
        shape = with_dotted(recipe.model, self.dotted.get("model", {}), "model", "transformer")
        shares = read_objectives(self.objectives) if self.objectives else recipe.pretraining.objectives
        world = typed_world(self.dotted)
        with named_options(model=shape, world=world):
            source = FactSource.of(self.facts, self.people, self.distractors, world)
            course = Course("pretrain", source, self.recipe, recipe.tokens, shape, Lesson(shares, self.training))
            return start_course(course, self.out)


def explained_options(recipe: str) -> str:
    """The options of a recipe's model and of the generated world, in lines."""
    from attnlab.data.facts.sources import GENERATED, PLAIN
    from attnlab.training.facts.recipes import find_recipe

    model, world = {"transformer": find_recipe(recipe).model}, {GENERATED: PLAIN}
    return "\n".join([*explain_dotted("model", model), *explain_dotted("world", world)])


def typed_world(dotted: Dotted) -> World:
    """The generated world, as it is by default but for what was typed."""
    from attnlab.data.facts.sources import GENERATED, PLAIN

    return with_dotted(PLAIN, dotted.get("world", {}), "world", GENERATED)


def check_alone(command: Adaptive, default: Adaptive) -> None:
    """Refuse --resume beside other settings: a run goes on with its own."""
    changed = {name for name, value in vars(command).items() if value != vars(default)[name]}
    if changed - {"resume", "json"}:
        raise ArgumentError("resume", "expected no other settings beside it: the run goes on with its own")
