"""Claim 16, the reason for the four perplexities: words that a model does not know, and the bits to spell them."""

import math
import re

from attnlab.claims.claim import Family, Finding
from attnlab.claims.models.coursework import (
    AT_SPACES,
    SIZE,
    characters,
    lines_as_words,
    stated,
    tokens_alone,
    unknown_after_unknown,
    word_pairs,
)
from attnlab.claims.passages import passages, spaced_out
from attnlab.claims.sources import source
from attnlab.evaluation.scoring.costs import costs
from attnlab.evaluation.scoring.measures import measure
from attnlab.numbers import whole_percent

FAMILY = Family(
    16.2,
    "unknown-words",
    "Unknown words",
    bench="perplexity",
    question="What do unknown words do to a perplexity?",
    shares="passages",
    data=lambda seed: (*passages(seed).sources, source("the text with spaces", spaced_out(seed)[0])),
)
PIECE = re.compile(r"\S+\s*|\s+")


@FAMILY.claim(
    "alone",
    "A passage of nothing but unknown words has a perplexity of about 1/p(unknown | unknown), whatever it says.",
    said_by="the lab",
)
def _alone(seed: int) -> Finding:
    text = passages(seed)
    train, called = spaced_out(seed)
    model = word_pairs(train, rule=AT_SPACES)
    limit = 1 / unknown_after_unknown(model)
    garbled = " ".join(word[::-1] + word for word in re.findall(r"[^\W\d_]{3,}", text.near))
    as_it_is, nothing = (measure(model, raw) for raw in (text.near, garbled))
    near, far = (measure(model, lines_as_words(raw)) for raw in (text.near, text.far))
    ratio = nothing.perplexity.value / limit
    return Finding(
        "holds" if 1 / 1.25 < ratio < 1.25 else "fails",
        f"A model of pairs of {SIZE:,} lower-case words was trained on {called}. It gives an unknown word after an "
        f"unknown word the probability {1 / limit:.3f}, and 1/p is {limit:.2f}. Now write each word of the near "
        f"passage backwards and then forwards (“this” becomes “sihtthis”), so that {whole_percent(nothing.unknown)} "
        f"of the words are unknown. The perplexity becomes {nothing.perplexity.value:.2f}, against "
        f"{as_it_is.perplexity.value:.1f} on the passage itself, although a raw byte costs "
        f"{nothing.bits_per_byte.value:.2f} bits, against {as_it_is.bits_per_byte.value:.2f}. A mistake can do the "
        f"same. With each line taken for one word, the near passage has {near.tokens} tokens, "
        f"{whole_percent(near.unknown)} of them unknown, and a perplexity of {near.perplexity.value:.2f}. The strange "
        f"passage has {far.tokens} tokens, {whole_percent(far.unknown)} of them unknown, and a perplexity of "
        f"{far.perplexity.value:.2f}: with so few tokens the first one, which is one of {SIZE:,}, counts for more. E "
        "reports 5.77 and 24.69; how E measured them is not known.",
        (
            stated("1/p(unknown | unknown)", limit),
            stated("perplexity, garbled passage", nothing.perplexity),
            stated("perplexity of the garbled passage, divided by 1/p(unknown | unknown)", ratio),
            stated("share of unknown words, garbled passage", nothing.unknown),
            stated("perplexity, near passage", as_it_is.perplexity),
            stated("perplexity, near passage, lines as words", near.perplexity),
            stated("perplexity, strange passage, lines as words", far.perplexity),
            stated("bits per byte, near passage", as_it_is.bits_per_byte),
            stated("bits per byte, garbled passage", nothing.bits_per_byte),
        ),
    )


@FAMILY.claim(
    "more-bits",
    "On a strange passage, spelling the unknown words costs more bits than all that the perplexity of words counts.",
    said_by="the lab",
)
def _more_bits(seed: int) -> Finding:
    text = passages(seed)
    near, far = (measure(word_pairs(text.train), raw) for raw in (text.near, text.far))
    tokens, spelled = tokens_alone(far), far.spelling_bits_per_byte
    each = spelled * far.raw_bytes / max(round(far.unknown * far.tokens), 1)
    return Finding(
        "holds" if spelled > tokens else "fails",
        f"The texts are {text.source}. With counts of pairs of {SIZE:,} words, {whole_percent(far.unknown)} of the "
        f"strange passage's tokens, punctuation included, are unknown. Spelling an unknown word costs {each:.1f} bits "
        f"on average, by the letters of the known words. That is {spelled:.2f} bits per byte of the passage. The "
        f"tokens, which are all that the perplexity counts, cost {tokens:.2f}. On the near passage spelling costs "
        f"{near.spelling_bits_per_byte:.2f} bits per byte and the tokens {tokens_alone(near):.2f}.",
        (
            stated("share of unknown tokens, strange passage", far.unknown),
            stated("bits per byte of the tokens, strange passage", tokens),
            stated("bits per byte of spelling, strange passage", spelled),
            stated("bits per unknown word", each),
            stated("bits per byte of the tokens, near passage", tokens_alone(near)),
            stated("bits per byte of spelling, near passage", near.spelling_bits_per_byte),
        ),
    )


@FAMILY.claim(
    "dearer",
    "The strange passage costs a model of characters more because of its names, numbers and unseen words, not "
    "because of common words.",
    said_by="the lab",
)
def _dearer(seed: int) -> Finding:
    text = passages(seed)
    subject = characters(text.train)
    near, strange = (measure(subject, raw) for raw in (text.near, text.far))
    far = costs(subject, text.far)
    rate = near.bits_per_byte.value * math.log(2)
    excess = far.comparable - rate * far.encoding.raw_bytes
    seen = {word.lower() for word in re.findall(r"\w+", text.train)}
    parts: dict[str, float] = dict.fromkeys(("numbers", "names", "other words never seen", "words seen"), 0.0)
    for match in PIECE.finditer(text.far):  # here each character is a token
        parts[_sort(match[0], seen)] += float(excess[match.start() : match.end()].sum())
    total = sum(parts.values())
    shares = {name: part / total for name, part in parts.items()}
    told = ", ".join(f"{name} {whole_percent(share)}" for name, share in shares.items())
    letter = far.charged.spelling.max() / math.log(2)
    unseen = f" An unseen character, as in “Māori”, costs {letter:.0f} bits beside the cost of calling it unknown."
    return Finding(
        "holds" if total > 0 and shares["words seen"] < 0.5 else "fails",
        f"The texts are {text.source}. By characters the near passage costs {near.bits_per_byte.value:.2f} bits per "
        f"byte and the strange one {strange.bits_per_byte.value:.2f}. The extra cost of the strange passage comes "
        f"from these parts: {told}.{unseen if letter and 'Māori' in text.far else ''}",
        (
            stated("bits per byte, near passage", near.bits_per_byte),
            stated("bits per byte, strange passage", strange.bits_per_byte),
            *(stated(f"share of the difference, {name}", share) for name, share in shares.items()),
        ),
    )


def _sort(piece: str, seen: set[str]) -> str:
    """The kind of a piece. A name is a word that begins with a capital and was never seen."""
    if re.search(r"\d", piece):
        return "numbers"
    if all(word.lower() in seen for word in re.findall(r"\w+", piece)):
        return "words seen"
    return "names" if re.match(r"\W*[^\W\d_a-z]", piece) else "other words never seen"
