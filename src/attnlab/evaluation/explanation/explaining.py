"""Picks the explanation for the given models and texts, and counts the tokens to measure for it."""

from collections.abc import Callable, Sequence
from itertools import combinations

from attnlab.errors import ArgumentError
from attnlab.evaluation.explanation.context_ladder import ContextLadder, equal_contexts
from attnlab.evaluation.explanation.gaps import Account, Gap, ModelGaps
from attnlab.evaluation.explanation.model_gap import explain_models, explain_pairs
from attnlab.evaluation.explanation.one_text import explain_text
from attnlab.evaluation.explanation.text_gap import explain_texts
from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.subjects import Subject


def explain(
    subjects: Sequence[Subject],
    policies: Sequence[Policy],
    texts: Sequence[str],
    names: Sequence[str],
    advance: Callable[[int], None] = lambda tokens: None,
) -> Account | Gap | ModelGaps:
    """Where the cost of a text comes from; with two texts, or two or more models, why they differ.

    Each model has a policy, and each text a name.
    """
    check_counts(len(subjects), len(texts))
    if len(subjects) > 2:
        return explain_pairs(subjects, texts[0], policies, advance=advance)
    if len(subjects) == 2:
        return explain_models(subjects[0], subjects[1], texts[0], policies, advance=advance)
    if len(texts) == 2:
        both, named = (texts[0], texts[1]), (names[0], names[1])
        return explain_texts(subjects[0], both, named, policies[0], advance=advance)
    return explain_text(subjects[0], texts[0], names[0], policies[0], advance=advance)


def check_counts(models: int, texts: int) -> None:
    """Raise unless this many models on this many texts can be explained."""
    if texts != 1 and (models, texts) != (1, 2):
        expected = "expected one text with any number of models, or one model on two texts"
        raise ArgumentError("explain", f"{expected}; got {models} models on {texts} texts")


def work(subjects: Sequence[Subject], policies: Sequence[Policy], tokens: Sequence[int]) -> int:
    """How many tokens `explain` measures in all (as `advance` counts); `tokens` has one count per model or text."""
    if len(tokens) == 1:
        return tokens[0]
    if len(subjects) > 1:
        rulers = [ContextLadder(each, "", how) for each, how in zip(subjects, policies, strict=True)]
        ladders = list(zip(rulers, tokens, strict=True))
        return sum(each.times * count for each, count in ladders) + sum(map(_shortened, combinations(ladders, 2)))
    return ContextLadder(subjects[0], "", policies[0]).times * sum(tokens)


def _shortened(pair: Sequence[tuple[ContextLadder, int]]) -> int:
    """How many tokens are measured with less context, so that the two models of a pair see the same amount of text."""
    rulers, tokens = zip(*pair, strict=True)
    contexts = zip(rulers, equal_contexts(rulers, tokens), tokens, strict=True)
    return sum(count for each, most, count in contexts if most < each.context)
