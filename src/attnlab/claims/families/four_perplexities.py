"""Claim 16: two models, two passages, four perplexities, and why they cannot be compared.

The coursework reports 5.77 and 24.69 for a bigram model of words, 6.90 and 15.84 for a character model, on a passage of
Shakespeare and one of Wikipedia. Here both models learn from the same text; `claims/passages.py` says which.
"""

import math
from itertools import combinations

from attnlab.charts import Lines, Series
from attnlab.claims.claim import Family, Finding
from attnlab.claims.models.coursework import (
    SIZE,
    characters,
    network,
    stated,
    tokens_alone,
    unknown_after_unknown,
    word_pairs,
)
from attnlab.claims.passages import Passages, passages
from attnlab.evaluation.scoring.measures import Measure, difference, measure
from attnlab.numbers import whole_percent
from attnlab.training.threads import one_thread

FAMILY = Family(
    16,
    "four-perplexities",
    "Four perplexities",
    bench="perplexity",
    question="A bigram model of words and a character model are measured on two passages: the near one is like the "
    "training text, the strange one is not. Why are the four perplexities so far apart?",
    shares="passages",
    data=lambda seed: passages(seed).sources,
)
NETWORK, PAIRS, CHARACTERS = "network of words", "counts of word pairs", "counts of characters"
FEW, SMALLEST = "counts of word pairs, 9 words known", 10
REPORTED = {
    (NETWORK, "near"): 5.77,
    (NETWORK, "strange"): 24.69,
    (CHARACTERS, "near"): 6.90,
    (CHARACTERS, "strange"): 15.84,
}
SIZES = (SIZE, 1_000, 500, 200, 100, 50, 25, 10, 5)


def _passages(text: Passages) -> dict[str, str]:
    return {"near": text.near, "strange": text.far}


def _measured(text: Passages, seed: int) -> dict[tuple[str, str], Measure]:
    """Every model on every passage."""
    subjects = {
        NETWORK: network(text.train, seed),
        PAIRS: word_pairs(text.train),
        CHARACTERS: characters(text.train),
    }
    with one_thread():
        return {
            (name, passage): measure(subject, raw)
            for name, subject in subjects.items()
            for passage, raw in _passages(text).items()
        }


@FAMILY.claim(
    "reported",
    "The near passage has a lower perplexity than the strange one, both by words (5.77 against 24.69) and by "
    "characters (6.90 against 15.84).",
    said_by="E",
)
def _reported(seed: int) -> Finding:
    text = passages(seed)
    found = _measured(text, seed)
    ours = {key: found[key].perplexity.value for key in REPORTED}
    beside = "; ".join(
        f"{' on the '.join(key)} passage {ours[key]:.2f} (E: {said:.2f})" for key, said in REPORTED.items()
    )
    close = sum(abs(math.log(ours[key] / said)) < math.log(1.25) for key, said in REPORTED.items())
    alike = {
        unit: ours[model, "near"] < ours[model, "strange"]
        for unit, model in (("words", NETWORK), ("characters", CHARACTERS))
    }
    order = " ".join(
        f"The two numbers by {unit} have {'the same order as' if same else 'the reverse order of'} E's."
        for unit, same in alike.items()
    )
    unknown = [found[NETWORK, passage].unknown for passage in ("near", "strange")]
    lowest = min(ours[NETWORK, passage] for passage in ("near", "strange"))
    which = [unit for unit, same in alike.items() if same]
    return Finding(
        "holds" if len(which) == len(alike) else "holds if" if which else "fails",
        f"{'' if text.real else 'E measured on other passages, which are not on this machine. '}The texts are "
        f"{text.source}. The perplexities are {beside}. {order} Of the four, {close} are within a quarter of E's "
        f"number. With a vocabulary of {SIZE:,} words, {whole_percent(unknown[0])} of the near passage's tokens, "
        f"punctuation included, are unknown, and {whole_percent(unknown[1])} of the strange one's: "
        f"{'less' if max(unknown) < 0.5 else 'more'} than half. By words no perplexity below {lowest:.0f} comes out. "
        "The claims four-perplexities-smaller and unknown-words-alone show what lowers such a number.",
        tuple(stated(f"perplexity, {name}, {where} passage", found[name, where].perplexity) for name, where in REPORTED)
        + tuple(stated(f"E's perplexity, {name}, {where} passage", said) for (name, where), said in REPORTED.items())
        + (
            stated("share of unknown tokens, near passage", unknown[0]),
            stated("share of unknown tokens, strange passage", unknown[1]),
        ),
        condition=f"the tokens are {which[0]}" if len(which) == 1 else "",
    )


@FAMILY.claim(
    "order",
    "Of two models on the same passage, the one with the lower perplexity predicts it better.",
    said_by="the lab, as a warning",
)
def _order(seed: int) -> Finding:
    text = passages(seed)
    with one_thread():
        few = {
            (FEW, passage): measure(word_pairs(text.train, SMALLEST), raw) for passage, raw in _passages(text).items()
        }
    found = _measured(text, seed) | few
    lines, measures, differences = [], [], []
    for passage in _passages(text):
        models = {name: each for (name, where), each in found.items() if where == passage}
        lines.append(f"On the {passage} passage, perplexity and bits per byte: {_told(models)}.")
        for name, each in models.items():
            measures.append(stated(f"perplexity, {name}, {passage} passage", each.perplexity))
            measures.append(stated(f"bits per byte, {name}, {passage} passage", each.bits_per_byte))
        for one, other in combinations(models, 2):
            low, high = sorted((one, other), key=lambda name: models[name].perplexity.value)
            apart = difference(models[high], models[low])
            differences.append(apart.value)
            measures.append(stated(f"bits per byte, {high} less {low}, {passage} passage", apart))
    better, worse = (sum(sign * each > 0 for each in differences) for sign in (1, -1))
    return Finding(
        "fails" if worse else "holds",
        f"The texts are {text.source}. {' '.join(lines)} Among the {len(differences)} pairs of models on one passage, "
        f"the model with the lower perplexity needs fewer bits per byte in {better} and more in {worse}. These are "
        "facts about the two passages; other passages may have others. Perplexity is per token: a word is several "
        "characters long, and once a word is called unknown, it costs nothing more. Only bits for the same "
        "raw bytes can be compared.",
        (
            *measures,
            stated("pairs", len(differences)),
            stated("pairs ordered alike", better),
            stated("pairs ordered the other way round", worse),
        ),
    )


def _told(models: dict[str, Measure]) -> str:
    return "; ".join(
        f"{name} {each.perplexity.value:.2f} and {each.bits_per_byte.value:.2f}" for name, each in models.items()
    )


@FAMILY.claim(
    "smaller",
    "5.77 is less than 6.90, so the bigram model predicts the passage better than the character model.",
    said_by="the lab, as a warning",
)
def _smaller(seed: int) -> Finding:
    text = passages(seed)
    other = measure(characters(text.train), text.near)
    by_size = {size: measure(word_pairs(text.train, size), text.near) for size in SIZES}
    size, found = next(
        (size, found) for size, found in by_size.items() if found.perplexity.value < other.perplexity.value
    )
    first, apart = by_size[SIZE], difference(found, other)
    spelled, plain = (
        tuple(each.bits_per_byte.value for each in by_size.values()),
        tuple(map(tokens_alone, by_size.values())),
    )
    return Finding(
        "holds" if apart.value < 0 else "fails",
        f"The texts are {text.source}. On the near passage, counts of word pairs have a perplexity of "
        f"{first.perplexity.value:.1f} with a vocabulary of {SIZE - 1:,} words and a token for unknown words; "
        f"{whole_percent(first.unknown)} of the passage's tokens, punctuation included, are unknown. With only "
        f"{size - 1} words the perplexity is {found.perplexity.value:.2f}, below the {other.perplexity.value:.2f} of "
        f"characters. But now {whole_percent(found.unknown)} of the tokens are unknown, and after an unknown token "
        f"the model gives another one the probability {unknown_after_unknown(word_pairs(text.train, size)):.2f}. The "
        f"raw passage then costs {found.bits_per_byte.value:.2f} bits per byte, against "
        f"{other.bits_per_byte.value:.2f} by characters and {first.bits_per_byte.value:.2f} with all {SIZE - 1:,} "
        "words. The lower perplexity is "
        f"{'the better' if apart.value < 0 else 'the worse' if apart.value > 0 else 'as good a'} prediction here: it "
        "measures the tokenizer.",
        (
            stated(f"perplexity, {SIZE - 1:,} words", first.perplexity),
            stated("words in the vocabulary that is below characters", size - 1),
            stated("perplexity, that vocabulary", found.perplexity),
            stated("share of unknown tokens, that vocabulary", found.unknown),
            stated("perplexity, characters", other.perplexity),
            stated("bits per byte, that vocabulary", found.bits_per_byte),
            stated("bits per byte, characters", other.bits_per_byte),
            stated("bits per byte, that vocabulary less characters", apart),
        ),
        chart=Lines(
            "Fewer words: a lower perplexity, and more bits",
            "tokens in the vocabulary",
            "bits per byte of the near passage",
            (
                Series("unknown words spelled out", tuple(map(float, SIZES)), spelled),
                Series("tokens alone", tuple(map(float, SIZES)), plain),
                Series("characters", tuple(map(float, SIZES)), (other.bits_per_byte.value,) * len(SIZES)),
            ),
            f"As the vocabulary shrinks from {SIZES[0]:,} tokens to {SIZES[-1]}, the cost of the tokens alone goes "
            f"from {plain[0]:.2f} to {plain[-1]:.2f} bits per byte. With unknown words spelled out, the cost goes "
            f"from {spelled[0]:.2f} to {spelled[-1]:.2f}.",
            log_x=True,
        ),
    )


@FAMILY.claim(
    "easier",
    "Of two passages, a model of words predicts the one with the lower perplexity better.",
    said_by="the lab, as a warning",
)
def _easier(seed: int) -> Finding:
    text = passages(seed)
    near, far = (measure(word_pairs(text.train), raw) for raw in (text.near, text.far))
    agree = (near.perplexity.value < far.perplexity.value) == (near.bits_per_byte.value < far.bits_per_byte.value)
    return Finding(
        "holds" if agree else "fails",
        f"The texts are {text.source}. With counts of word pairs the near passage has a perplexity of "
        f"{near.perplexity.value:.1f} and the strange one of {far.perplexity.value:.1f}. In bits per byte of the raw "
        f"text they have {near.bits_per_byte.value:.2f} and {far.bits_per_byte.value:.2f}. Of the strange passage's "
        f"tokens, punctuation included, {whole_percent(far.unknown)} are unknown, against "
        f"{whole_percent(near.unknown)} of the near one's, and a perplexity does not count which word an unknown word "
        f"is. Over known tokens alone the perplexities are {_known(near):.1f} and {_known(far):.1f}.",
        (
            stated("perplexity, near passage", near.perplexity),
            stated("perplexity, strange passage", far.perplexity),
            stated("share of unknown tokens, near passage", near.unknown),
            stated("share of unknown tokens, strange passage", far.unknown),
            stated("perplexity over known tokens, near passage", _known(near)),
            stated("perplexity over known tokens, strange passage", _known(far)),
            stated("bits per byte, near passage", near.bits_per_byte),
            stated("bits per byte, strange passage", far.bits_per_byte),
        ),
    )


def _known(found: Measure) -> float:
    """The perplexity over known tokens only; NaN if no token is known."""
    return math.exp(found.known_nats_per_token.value) if found.known_nats_per_token else math.nan
