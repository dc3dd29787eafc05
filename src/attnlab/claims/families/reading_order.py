"""Claim 20, the comparison with models that read in order: how much accuracy word order gains, and at which cost."""

from typing import get_args

from attnlab.charts import Bars
from attnlab.claims.claim import Family, Finding, Quantity, share_bar
from attnlab.claims.models.reviews import READING_SEEDS, TRAIN, ReviewNetwork, fresh, right, work
from attnlab.claims.seeds import Rate, RateDifference, over_worlds, worlds
from attnlab.numbers import percent, points, whole_percent

FAMILY = Family(
    20.6,
    "reading-order",
    "How much word order is worth",
    bench="sentiment",
    question="How much better is a small model that reads a review in order than one that averages its words?",
    shares="reviews",
)
ASKED = 300
NETWORKS: tuple[ReviewNetwork, ...] = get_args(ReviewNetwork)
READ = ("recurrent", "Transformer")


def _accuracy(network: ReviewNetwork, seed: int) -> tuple[float, float]:
    """The accuracy on fresh reviews of the training world."""
    return over_worlds(lambda each: Rate.of(right(network, each, fresh(each, ASKED))), seed, READING_SEEDS)


def _gain(better: ReviewNetwork, than: ReviewNetwork, seed: int) -> tuple[float, float]:
    """The difference between the accuracies of two networks, on the same reviews, over the seeds."""

    def gain(world: int) -> RateDifference:
        reviews = fresh(world, ASKED)
        return Rate.of(right(better, world, reviews)) - Rate.of(right(than, world, reviews))

    return over_worlds(gain, seed, READING_SEEDS)


def _pairs(network: ReviewNetwork, seed: int) -> tuple[float, float]:
    """How often both of two reviews are classified correctly that have the same words and opposite labels."""

    def both(world: int) -> Rate:
        reviews = fresh(world, ASKED, contrast=0.5, reported=0.5)
        twins = [review.swapped for review in reviews if review.swapped]
        return Rate.of(right(network, world, reviews) & right(network, world, twins))

    return over_worlds(both, seed, READING_SEEDS)


def _chart(title: str, x_title: str, values: dict[str, tuple[float, float]]) -> Bars:
    bars = (share_bar(name, *value) for name, value in values.items())
    said = ", ".join(f"{name} {whole_percent(mean)}" for name, (mean, _) in values.items())
    return Bars(title, x_title, tuple(bars), f"Correct: {said}. The intervals are over {READING_SEEDS} seeds.")


@FAMILY.claim(
    "worth",
    "On generated reviews, in a quarter of which order decides the label, models that read in order are better than an "
    "average of the same vectors.",
    said_by="the lab",
)
def _worth(seed: int) -> Finding:
    accuracies = {network: _accuracy(network, seed) for network in NETWORKS}
    gains = {network: _gain(network, "words", seed) for network in READ}
    twins = {network: _pairs(network, seed) for network in NETWORKS}
    works = {network: work(network, worlds(seed, 1)[0]) for network in NETWORKS}
    return Finding(
        "holds" if all(gain - half > 0 for gain, half in gains.values()) else "fails",
        f"On fresh reviews the average of word vectors is right in {percent(*accuracies['words'])} of the cases, the "
        f"recurrent model in {percent(*accuracies['recurrent'])} and the Transformer in "
        f"{percent(*accuracies['Transformer'])}: reading in order gains {points(*gains['recurrent'])} and "
        f"{points(*gains['Transformer'])}. All models learnt from the same {TRAIN:,} reviews, and the two "
        "that read in order started from the word vectors of the averaging network. Of two reviews with the same "
        "words and opposite labels, the average never gets both right; the recurrent model does in "
        f"{percent(*twins['recurrent'])} of the cases, the Transformer in {percent(*twins['Transformer'])}. The "
        f"price: {works['recurrent'] / works['words']:,.0f} and {works['Transformer'] / works['words']:,.0f} times as "
        f"many multiply-adds per word (95 % intervals over {READING_SEEDS} seeds).",
        (
            *(Quantity(f"accuracy, {network}", *accuracies[network], "95 % interval") for network in NETWORKS),
            *(Quantity(f"points over words, {network}", *gains[network], "95 % interval") for network in READ),
            *(Quantity(f"both twins right, {network}", *twins[network], "95 % interval") for network in NETWORKS),
            *(Quantity(f"multiply-adds per word, {network}", works[network]) for network in NETWORKS),
        ),
        chart=_chart("How much word order is worth", "accuracy on fresh reviews", dict(accuracies)),
    )


@FAMILY.claim(
    "pairs", "On these reviews pairs of words are as good as reading in order.", said_by="the lab, as a warning"
)
def _pairs_as_good(seed: int) -> Finding:
    gains = {network: _gain(network, "pairs", seed) for network in READ}
    pairs, words = _accuracy("pairs", seed), _accuracy("words", seed)
    return Finding(
        "holds" if all(gain - half <= 0 for gain, half in gains.values()) else "fails",
        f"With pairs of words as features an averaging network is right in {percent(*pairs)} of the cases, without "
        f"them in {percent(*words)}. The recurrent model is {points(*gains['recurrent'])} above the "
        f"network with pairs, the Transformer {points(*gains['Transformer'])}. A pair shows which word a "
        "negation belongs to, if the two stand next to each other. It seldom shows in which half of a review a "
        "phrase stands, and in a quarter of these reviews that decides the label (95 % intervals over "
        f"{READING_SEEDS} seeds).",
        (
            Quantity("accuracy, words", *words, "95 % interval"),
            Quantity("accuracy, pairs", *pairs, "95 % interval"),
            *(Quantity(f"points over pairs, {network}", *gains[network], "95 % interval") for network in READ),
        ),
    )
