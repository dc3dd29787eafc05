"""Answers made up for tests."""

import numpy as np
from hypothesis import strategies as st

from attnlab.evaluation.knowledge.answers import ModelAnswer

PLACES = ("Rome", "Oslo", "Lima", "Bonn")


def said(probability: float, right: bool, name: str = "A B") -> ModelAnswer:
    """An answer of some probability with no runners-up."""
    return ModelAnswer(name, f"Where was {name} born?", "Rome", "Rome" if right else "Oslo", probability)


weighed = st.tuples(
    st.lists(st.floats(0, 1), min_size=2, max_size=5).filter(lambda each: sum(each) > 0.01),
    st.sampled_from([*PLACES, "Elsewhere"]),
)
"""What any answer is made of. The answer itself is made in the test, since its types are checked by chance draws, which
a strategy must not make."""


def answer_of(weights: list[float], truth: str) -> ModelAnswer:
    """An answer with up to three runners-up, whose alternatives have probabilities like the weights."""
    *listed, _ = [each / sum(weights) for each in weights]
    runners_up = tuple(zip(PLACES[1:], listed[1:], strict=False))
    return ModelAnswer("A B", "Where was A B born?", truth, PLACES[0], listed[0], runners_up)


def drawn_answers(count: int, boldness: float, seed: int) -> list[ModelAnswer]:
    """Answers whose alternatives are true as often as they would be at temperature 1 / boldness, and the likeliest is
    the answer; so `boldness` is the temperature that puts them right."""
    draws = np.random.default_rng(seed)
    made = []
    for fair in draws.dirichlet(np.full(5, 0.6), count):
        truth = draws.choice(5, p=fair)
        bold = fair**boldness / (fair**boldness).sum()
        order = np.argsort(-bold[:4])
        names = [f"place {number}" for number in range(5)]
        listed = [(names[place], float(bold[place])) for place in order]
        made.append(ModelAnswer("A B", "?", names[truth], *listed[0], tuple(listed[1:])))
    return made
