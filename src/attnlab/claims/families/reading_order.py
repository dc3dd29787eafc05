"""Claim 20, beside models that read in order: what order is worth on generated reviews, in points and in work."""

from typing import get_args

from attnlab.claims.claim import Bar, Bars, Family, Finding, Quantity
from attnlab.claims.review_models import READING_SEEDS, TRAIN, Network, fresh, over_seeds, right, work
from attnlab.numbers import percent

FAMILY = Family(
    20.6,
    "reading-order",
    "What order is worth",
    question="How much better is a small model that reads a review in order than one that averages its words?",
)
ASKED = 300
NETWORKS: tuple[Network, ...] = get_args(Network)
READ = ("recurrent", "Transformer")


def _accuracy(network: Network, claim_seed: int) -> tuple[float, float]:
    """On fresh reviews of the world that was learnt from."""
    return over_seeds(lambda seed: float(right(network, seed, fresh(claim_seed, seed, ASKED)).mean()), READING_SEEDS)


def _gain(better: Network, than: Network, claim_seed: int) -> tuple[float, float]:
    """The difference of two networks' accuracies, on the same reviews and seed by seed."""

    def gain(seed: int) -> float:
        reviews = fresh(claim_seed, seed, ASKED)
        return float(right(better, seed, reviews).mean() - right(than, seed, reviews).mean())

    return over_seeds(gain, READING_SEEDS)


def _pairs(network: Network, claim_seed: int) -> tuple[float, float]:
    """How often both of two reviews are read right that have the same words, and opposite labels by their order."""

    def both(seed: int) -> float:
        reviews = fresh(claim_seed, seed, ASKED, contrast=0.5, reported=0.5)
        twins = [review.swapped for review in reviews if review.swapped]
        return float((right(network, seed, reviews) & right(network, seed, twins)).mean())

    return over_seeds(both, READING_SEEDS)


def _chart(title: str, x_title: str, values: dict[str, tuple[float, float]]) -> Bars:
    bars = (Bar(name, mean, max(0.0, mean - half), min(1.0, mean + half)) for name, (mean, half) in values.items())
    said = ", ".join(f"{name} {100 * mean:.0f} %" for name, (mean, _) in values.items())
    return Bars(title, x_title, tuple(bars), f"Right are: {said}. The intervals are over {READING_SEEDS} seeds.")


@FAMILY.claim("worth", "Models that read in order are better than an average of the same vectors.", said_by="the lab")
def _worth(seed: int) -> Finding:
    accuracies = {network: _accuracy(network, seed) for network in NETWORKS}
    gains = {network: _gain(network, "words", seed) for network in READ}
    twins = {network: _pairs(network, seed) for network in NETWORKS}
    return Finding(
        "holds" if all(gain - half > 0 for gain, half in gains.values()) else "fails",
        f"On fresh reviews the average of words is right in {percent(*accuracies['words'])}, the recurrent model in "
        f"{percent(*accuracies['recurrent'])} and the Transformer in {percent(*accuracies['Transformer'])}: order is "
        f"worth {100 * gains['recurrent'][0]:.0f} ± {100 * gains['recurrent'][1]:.0f} and "
        f"{100 * gains['Transformer'][0]:.0f} ± {100 * gains['Transformer'][1]:.0f} points. All learnt from the same "
        f"{TRAIN:,} reviews, and those that read began with the average's vectors. Of two reviews with the same words "
        f"and opposite labels the average never gets both right, the recurrent model {percent(*twins['recurrent'])}, "
        f"the Transformer {percent(*twins['Transformer'])}. The price: {work('recurrent') / work('words'):,.0f} and "
        f"{work('Transformer') / work('words'):,.0f} times as many multiply-adds a word (95 % intervals over "
        f"{READING_SEEDS} seeds).",
        (
            *(Quantity(f"accuracy, {network}", *accuracies[network], "95 % interval") for network in NETWORKS),
            *(Quantity(f"points over words, {network}", *gains[network], "95 % interval") for network in READ),
            *(Quantity(f"both twins right, {network}", *twins[network], "95 % interval") for network in NETWORKS),
            *(Quantity(f"multiply-adds a word, {network}", work(network)) for network in NETWORKS),
        ),
        chart=_chart("What order is worth", "accuracy on fresh reviews", dict(accuracies)),
    )


@FAMILY.claim("pairs", "Pairs of words are as good as reading in order.", said_by="the lab, as a warning")
def _pairs_as_good(seed: int) -> Finding:
    gains = {network: _gain(network, "pairs", seed) for network in READ}
    pairs, words = _accuracy("pairs", seed), _accuracy("words", seed)
    return Finding(
        "holds" if all(gain - half <= 0 for gain, half in gains.values()) else "fails",
        f"With pairs of words as features an average is right in {percent(*pairs)}, without in {percent(*words)}. The "
        f"recurrent model is {100 * gains['recurrent'][0]:.0f} ± {100 * gains['recurrent'][1]:.0f} points above that, "
        f"the Transformer {100 * gains['Transformer'][0]:.0f} ± {100 * gains['Transformer'][1]:.0f}. A pair sees what "
        "a word denies, if it stands next to it. It seldom sees which half of a review a phrase stands in, and "
        f"in a quarter of these reviews that decides (95 % intervals over {READING_SEEDS} seeds).",
        (
            Quantity("accuracy, words", *words, "95 % interval"),
            Quantity("accuracy, pairs", *pairs, "95 % interval"),
            *(Quantity(f"points over pairs, {network}", *gains[network], "95 % interval") for network in READ),
        ),
    )
