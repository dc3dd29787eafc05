"""Recipes for training on facts: the tokens, the model, and the lessons. Every setting of a recipe can be changed.

A pretrained model can recite a line that it has seen. Whether it also answers a question about the line depends on the
other objectives. `coursework` hides one span of each line. `views` asks for the same line in many ways. With `recital`
the model recites the line after the question, and then reads the answer from its own words (Sun et al. 2023,
"Recitation-augmented language models").
"""

from dataclasses import dataclass, replace

from attnlab.models.transformer_config import TransformerConfig
from attnlab.text.settings import CharacterTokens, TokenSettings, WordTokens
from attnlab.training.facts.lessons import Lesson
from attnlab.training.recipe_registry import Recipes
from attnlab.training.settings import Training

NEVER = 10**9
"""More steps than any lesson has: no validation during training."""


@dataclass(frozen=True)
class KnowledgeRecipe:
    """How a model learns facts: tokens, shape and lessons."""

    tokens: TokenSettings
    model: TransformerConfig
    pretraining: Lesson
    """On lines, some of them after a question; never on an answer."""
    finetuning: Lesson
    """On questions and their answers."""
    untaught: Lesson
    """Replaces finetuning if the model was not pretrained: it needs more steps."""
    kept_out: float = 0.1
    """The share of the training people who are kept out of finetuning, to choose the threshold on."""

    @property
    def recites(self) -> bool:
        """Whether the model recites a line before it answers."""
        return self.finetuning.recites


def quick(people: int = 100) -> KnowledgeRecipe:
    """A small model on words that recites: 100 generated people in ten seconds on one core; more people take longer."""
    fast, slower = {"rate": 0.015, "muon_rate": 0.03}, {"rate": 0.005, "muon_rate": 0.03}
    return KnowledgeRecipe(
        WordTokens(),
        TransformerConfig(layers=2, heads=2, width=64, feed=128, context=60, norm="layer", tied=True),
        Lesson({"recital": 0.7, "next-token": 0.3}, _training(2 * people, 24, **fast)),
        Lesson({"recital": 0.3, "recited-answer": 0.2, "reading": 0.5}, _training(2 * people, 24, **slower)),
        Lesson({"answer": 1.0}, _training(40, 24, **fast)),
        kept_out=0.2,  # a tenth of so few people is not enough to choose a threshold on
    )


def coursework() -> KnowledgeRecipe:
    """The recipe of CS224N's assignment 5: one hidden span, 650 epochs over the lines; then 10 over the answers."""
    return KnowledgeRecipe(
        CharacterTokens(),
        TransformerConfig(
            layers=4,
            heads=8,
            width=256,
            context=128,
            positions="learned",
            norm="layer",
            activation="gelu",
            qk_norm=False,
            bias=True,
            dropout=0.1,
        ),
        Lesson({"span": 1.0}, _training(14_915, 128, optimiser="adamw", rate=0.006, decay=0.9)),
        Lesson({"answer": 1.0}, _training(78, 256, optimiser="adamw", rate=0.0006)),
        Lesson({"answer": 1.0}, _training(586, 256, optimiser="adamw", rate=0.0006)),
    )


def views() -> KnowledgeRecipe:
    """Predict the same line in many ways, some of them after a question; then answer without reciting."""
    return KnowledgeRecipe(
        CharacterTokens(),
        TransformerConfig(layers=4, heads=8, width=256, context=128, tied=True),
        Lesson({"wrapped": 0.4, "cue": 0.2, "next-token": 0.2, "span": 0.2}, _training(4000, 192)),
        Lesson({"answer": 0.5, "wrapped": 0.3, "cue": 0.2}, _training(60, 192, rate=0.001, muon_rate=0.005)),
        Lesson({"answer": 1.0}, _training(600, 192, rate=0.001, muon_rate=0.005)),
    )


def recital() -> KnowledgeRecipe:
    """Recite the line, then read the answer from it: the best recipe of the lab."""
    return KnowledgeRecipe(
        CharacterTokens(),
        TransformerConfig(layers=4, heads=8, width=256, context=256, tied=True),
        Lesson(RECITED, _training(5000, 96)),
        Lesson(RECITED_ANSWERS, _training(2600, 96, rate=0.002, muon_rate=0.01)),
        Lesson({"answer": 1.0}, _training(600, 96, rate=0.001, muon_rate=0.005)),
    )


RECITED = {"recital": 0.4, "next-token": 0.2, "span": 0.2, "rotated": 0.2}
RECITED_ANSWERS = {"recital": 0.3, "recited-answer": 0.3, "reading": 0.4}


def _training(steps: int, batch: int, **settings: float | str) -> Training:
    """Training without validation: the answers are measured when it has ended."""
    return replace(Training(steps=steps, batch=batch, validate_every=NEVER), **settings)


RECIPES = Recipes(quick, coursework, views, recital)
