"""Claim 20: what a deep averaging network cannot see, and what it costs, on generated reviews whose truth is known."""

import random

import numpy as np

from attnlab.claims.claim import Bar, Bars, Family, Finding, Quantity
from attnlab.claims.review_models import SEEDS, TRAIN, Network, fresh, over_seeds, praise, right
from attnlab.data.worlds.reviews.plans import KINDS, Kind
from attnlab.data.worlds.reviews.reviews import Review
from attnlab.numbers import percent

FAMILY = Family(
    20,
    "averaging-network",
    "A deep averaging network",
    question="What does a classifier that averages word vectors not see, and what does that cost?",
)
ASKED = 300
"""Reviews a seed."""
TRAINED = f"{SEEDS} networks, each trained on {TRAIN:,} generated reviews of its own and asked about fresh ones"


def _shuffled(text: str, seed: int) -> str:
    """The same words in another order, on every machine the same."""
    words, draw = text.split(), random.Random(seed).random
    return " ".join(word for _, word in sorted((draw(), word) for word in words))


def _change(network: Network, claim_seed: int, seed: int) -> float:
    """How far the probability of praise moves at most when the words of a review are shuffled."""
    texts = [review.text for review in fresh(claim_seed, seed, ASKED)]
    before = praise(network, seed, texts)
    orders = [[_shuffled(text, order) for text in texts] for order in range(5)]
    return max(float(np.abs(praise(network, seed, each) - before).max()) for each in orders)


def _pairs(network: Network, claim_seed: int, seed: int) -> float:
    """The accuracy on reviews and the same with their halves swapped, whose labels differ."""
    reviews = [each for each in fresh(claim_seed, seed, ASKED, contrast=0.5, reported=0.5) if each.swapped]
    both = [twin for review in reviews for twin in (review, review.swapped) if twin]
    return float(right(network, seed, both).mean())


@FAMILY.claim(
    "blind",
    "An averaging network is blind to order: shuffling the words changes nothing, and of two reviews with the same "
    "words and opposite labels it gets exactly one right.",
    said_by="the lab",
)
def _blind(seed: int) -> Finding:
    change = max(_change("words", seed, each) for each in range(SEEDS))
    pairs_change = min(_change("pairs", seed, each) for each in range(SEEDS))
    accuracies = [_pairs("words", seed, each) for each in range(SEEDS)]
    exact = all(accuracy == 0.5 for accuracy in accuracies)
    return Finding(
        "holds" if change < 1e-5 and exact and pairs_change > 0.01 else "fails",
        f"Five shuffles of {ASKED} reviews each, for {SEEDS} networks: the probability of praise moved by at most "
        f"{change:.1e}, which is the rounding of a sum in another order. “The start is great, but the end is awful” "
        f"and the same with its halves swapped get one answer, and as their labels differ, one of the two is wrong: "
        f"{100 * float(np.mean(accuracies)):.0f} % right, with every seed and whatever was learnt. A network that "
        f"sees pairs of words, too, moves by {pairs_change:.2f} and more for some review, so the shuffles do matter.",
        (
            Quantity("largest change of a probability, words", change, how="observed"),
            Quantity("largest change of a probability, pairs (least of the seeds)", pairs_change, how="observed"),
            Quantity("accuracy on reviews and their twins with halves swapped", float(np.mean(accuracies))),
            Quantity("networks", SEEDS),
        ),
    )


def _one_opinion(claim_seed: int, seed: int) -> tuple[list[Review], list[Review]]:
    """Reviews of one opinion, said plainly, and the same denied."""
    drawn = [each for each in fresh(claim_seed, seed, ASKED, negation=1.0, made_up=0.0) if len(each.phrases) == 1]
    return [each.flipped for each in drawn if each.flipped], drawn


def _plain_and_denied(network: Network, claim_seed: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """The accuracy on plain opinions and on denied ones, each with its interval."""
    plain = over_seeds(lambda seed: float(right(network, seed, _one_opinion(claim_seed, seed)[0]).mean()))
    denied = over_seeds(lambda seed: float(right(network, seed, _one_opinion(claim_seed, seed)[1]).mean()))
    return plain, denied


def _bar(name: str, value: tuple[float, float]) -> Bar:
    return Bar(name, value[0], max(0.0, value[0] - value[1]), min(1.0, value[0] + value[1]))


@FAMILY.claim("negation", "An averaging network takes what is denied for what is said.", said_by="the lab")
def _negation(seed: int) -> Finding:
    plain, denied = _plain_and_denied("words", seed)
    return Finding(
        "holds" if denied[0] + denied[1] < 0.5 < plain[0] - plain[1] else "fails",
        f"“The plot is good” it gets right in {percent(*plain)} of the cases, “the plot is not good” in "
        f"{percent(*denied)}, less than guessing ({TRAINED}; 95 % intervals over the seeds). The denial is one vector "
        "among others, and the average does not know which word it stood before; the word that it denies stands in the "
        "average as it would without it.",
        (
            Quantity("accuracy, one plain opinion", *plain, "95 % interval"),
            Quantity("accuracy, the same denied", *denied, "95 % interval"),
            Quantity("networks", SEEDS),
        ),
        chart=Bars(
            "What a denial costs an averaging network",
            "accuracy",
            (_bar("good", plain), _bar("not good", denied)),
            f"Plain opinions are read right in {100 * plain[0]:.0f} % of the cases, the same opinions denied in "
            f"{100 * denied[0]:.0f} %.",
        ),
    )


@FAMILY.claim("pairs", "Pairs of words buy back a part of what negation costs.", said_by="the lab")
def _pairs_help(seed: int) -> Finding:
    plain, denied = _plain_and_denied("words", seed)
    plain_pairs, denied_pairs = _plain_and_denied("pairs", seed)

    def bought(each: int) -> float:
        _, said_no = _one_opinion(seed, each)
        return float(right("pairs", each, said_no).mean() - right("words", each, said_no).mean())

    gain = over_seeds(bought)
    share = gain[0] / max(plain[0] - denied[0], 1e-9)
    return Finding(
        "holds" if gain[0] - gain[1] > 0 and denied_pairs[0] < plain_pairs[0] else "fails",
        f"With pairs of words as features, “not good” has a vector of its own. Denied opinions are then read right in "
        f"{percent(*denied_pairs)} of the cases instead of {percent(*denied)}: {100 * gain[0]:.0f} points ± "
        f"{100 * gain[1]:.0f}, or {100 * share:.0f} % of what negation had cost. That vector stands in the "
        "average beside those of “good” and of “not”, which stay. "
        f"Plain opinions are at {percent(*plain_pairs)}, and were at "
        f"{percent(*plain)} (95 % intervals over {SEEDS} seeds).",
        (
            Quantity("points bought back on denied opinions", gain[0], gain[1], "95 % interval"),
            Quantity("accuracy, denied, words", *denied, "95 % interval"),
            Quantity("accuracy, denied, words and pairs", *denied_pairs, "95 % interval"),
            Quantity("accuracy, plain, words", *plain, "95 % interval"),
            Quantity("accuracy, plain, words and pairs", *plain_pairs, "95 % interval"),
            Quantity("share of the cost bought back", share, how="observed"),
        ),
        chart=Bars(
            "What pairs of words buy back",
            "accuracy",
            (
                _bar("plain, words", plain),
                _bar("plain, pairs", plain_pairs),
                _bar("denied, words", denied),
                _bar("denied, pairs", denied_pairs),
            ),
            f"On denied opinions words alone have {100 * denied[0]:.0f} %, words and pairs {100 * denied_pairs[0]:.0f} "
            f"%; on plain ones they have {100 * plain[0]:.0f} % and {100 * plain_pairs[0]:.0f} %.",
        ),
    )


def _asked(kind: Kind, claim_seed: int, seed: int) -> list[Review]:
    """Reviews of one kind."""
    return fresh(claim_seed, seed, ASKED, **({"mixed": 0.0} if kind == "plain" else {kind: 1.0}))


def _denying(claim_seed: int, seed: int) -> float:
    """The share of misread plain reviews that deny something."""
    reviews = _asked("plain", claim_seed, seed)
    wrong = ~right("words", seed, reviews)
    return float(np.array([review.negated for review in reviews])[wrong].mean())


@FAMILY.claim("mixed-most", "Mixed reviews are where it errs most.", said_by="the lab, as a warning")
def _mixed_most(seed: int) -> Finding:
    errors = {
        kind: over_seeds(lambda each, kind=kind: 1 - float(right("words", each, _asked(kind, seed, each)).mean()))
        for kind in KINDS
    }
    denying = over_seeds(lambda each: _denying(seed, each))
    mixed, others = errors["mixed"], [errors[kind] for kind in KINDS if kind != "mixed"]
    return Finding(
        "holds" if all(mixed[0] - mixed[1] > other[0] + other[1] for other in others) else "fails",
        f"It errs in {percent(*errors['plain'])} of the reviews of one mind ({100 * denying[0]:.0f} % of those "
        f"misread deny something) and in {percent(*mixed)} of those that mix praise and blame. But where "
        f"order decides, it can only guess: {percent(*errors['contrast'])} of the contrasts and "
        f"{percent(*errors['reported'])} of the reviews that say what others say, too, are misread. To an "
        f"average all three are mixtures: that a review is mixed does not yet tell why it was misread ({TRAINED}; 95 % "
        "intervals).",
        (
            *(Quantity(f"errors, {kind}", *errors[kind], "95 % interval") for kind in KINDS),
            Quantity("share of misread plain reviews that deny something", *denying, "95 % interval"),
        ),
        chart=Bars(
            "Where an averaging network errs",
            "share of reviews misread",
            tuple(_bar(kind, errors[kind]) for kind in KINDS),
            "Misread are " + ", ".join(f"{100 * errors[kind][0]:.0f} % of the {kind} reviews" for kind in KINDS) + ".",
        ),
    )
