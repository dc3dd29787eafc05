"""Recipes for teaching facts: what is learnt first, what then, and by which model. Whatever they say can be changed.

A model that was pretrained with a line recites it; whether a question gets the fact out depends on what else it saw.
`coursework` hides one span of each line; `views` asks for the same line from many sides; and `recital` lets the model
recite the line behind the question, and then read the answer from its own words (Sun et al. 2023, "Recitation-augmented
language models").
"""

from dataclasses import dataclass, replace

from attnlab.models.transformer_config import TransformerConfig
from attnlab.text.settings import CharacterTokens, TokenSettings, WordTokens
from attnlab.training.facts.lessons import Lesson
from attnlab.training.recipes import Recipes
from attnlab.training.settings import Training

NEVER = 10**9
"""Steps between two validations where nothing is validated."""


@dataclass(frozen=True)
class KnowledgeRecipe:
    """How a model is taught facts: tokens, shape, and two lessons."""

    tokens: TokenSettings
    model: TransformerConfig
    pretraining: Lesson
    """On lines alone, or with the questions' words around names; never on an answer."""
    finetuning: Lesson
    """On questions and their answers too."""
    untaught: Lesson
    """In place of finetuning for a model that was not pretrained, which needs longer."""
    kept_out: float = 0.1
    """The share of the people to train on who are kept out of finetuning, to choose a threshold on."""

    @property
    def recites(self) -> bool:
        """Whether the model recites a line before it answers."""
        return self.finetuning.recites


def quick(people: int = 100) -> KnowledgeRecipe:
    """Recitals in words by a small model: a hundred generated people in ten seconds on one core; more need more."""
    fast, slower = {"rate": 0.015, "muon_rate": 0.03}, {"rate": 0.005, "muon_rate": 0.03}
    return KnowledgeRecipe(
        WordTokens(),
        TransformerConfig(layers=2, heads=2, width=64, feed=128, context=60, norm="layer", tied=True),
        Lesson({"recital": 0.7, "next-token": 0.3}, _training(2 * people, 24, **fast)),
        Lesson({"recital": 0.3, "recited-answer": 0.2, "reading": 0.5}, _training(2 * people, 24, **slower)),
        Lesson({"answer": 1.0}, _training(40, 24, **fast)),
        kept_out=0.2,  # few as they are, a tenth of them would be too few to reach any precision on
    )


def coursework() -> KnowledgeRecipe:
    """The recipe of CS224N's assignment 5: one hidden span, 650 passes over the lines; then 10 over the answers."""
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
    """The same line from many sides, some of them behind the question's words; answers at once."""
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
    """Training with nothing to validate on but the answers, which come after it."""
    return replace(Training(steps=steps, batch=batch, validate_every=NEVER), **settings)


RECIPES = Recipes(quick, coursework, views, recital)
