"""Claim 16: two models, two passages, four perplexities, and why they do not compare.

The coursework has 5.77 and 24.69 for a bigram model of words, 6.90 and 15.84 for a character model, on a passage of
Shakespeare and one of Wikipedia. Both models here learn from one text; `claims/passages.py` says which.
"""

import re
from itertools import combinations

from attnlab.claims.passages import material
from attnlab.claims.records import Family, Finding, Lines, Measure, Series
from attnlab.claims.threads import one_thread
from attnlab.claims.two_models import (
    WORDS,
    bits_per_byte,
    characters,
    known_perplexity,
    model_bits_per_byte,
    network,
    perplexity,
    spelling_bits_per_byte,
    unknown_share,
    words,
)
from attnlab.evaluation.costs import costs

FAMILY = Family(
    16,
    "four-perplexities",
    "Four perplexities",
    question="A bigram model of words and a character model have a perplexity on each of two passages. "
    "Why are the four so far apart?",
)
PIECE = re.compile(r"\S+\s*|\s+")
SIZES = (WORDS, 1_000, 500, 200, 100, 50, 25, 10, 5)


@FAMILY.claim("order", "The lower of two perplexities is the better prediction.", said_by="E")
def _order(seed: int) -> Finding:
    text = material(seed)
    with one_thread():
        found = {
            f"{unit}, {passage} passage": costs(subject, raw)
            for unit, subject in (("words", network(text.train)), ("characters", characters(text.train)))
            for passage, raw in (("near", text.near), ("strange", text.far))
        }
    pairs = list(combinations(found.values(), 2))
    alike = sum((perplexity(a) < perplexity(b)) == (bits_per_byte(a) < bits_per_byte(b)) for a, b in pairs)
    four = "; ".join(f"{name}: {perplexity(c):.2f}, {bits_per_byte(c):.2f}" for name, c in found.items())
    return Finding(
        "holds" if alike == len(pairs) else "fails",
        f"On {text.source}, perplexity of a token and bits a byte of the raw passage, with every unknown word spelled, "
        f"are these. {four[0].upper()}{four[1:]}. Of the {len(pairs)} pairs among the four they order {alike} alike. A "
        "perplexity is per token: a word is several characters, and an unknown word is free once it is called unknown. "
        "Only bits of the same raw bytes compare.",
        tuple(Measure(f"perplexity, {name}", perplexity(each)) for name, each in found.items())
        + tuple(Measure(f"bits a byte, {name}", bits_per_byte(each)) for name, each in found.items())
        + (Measure("pairs ordered alike", alike), Measure("pairs", len(pairs))),
    )


@FAMILY.claim(
    "smaller",
    "5.77 is less than 6.90, so the bigram model predicts the passage better than the character model.",
    said_by="the lab, as a warning",
)
def _smaller(seed: int) -> Finding:
    text = material(seed)
    other = costs(characters(text.train), text.near)
    by_size = {size: costs(words(text.train, size), text.near) for size in SIZES}
    size, found = next((size, found) for size, found in by_size.items() if perplexity(found) < perplexity(other))
    first = by_size[WORDS]
    spelled, plain = (tuple(map(bits, by_size.values())) for bits in (bits_per_byte, model_bits_per_byte))
    return Finding(
        "holds" if bits_per_byte(found) < bits_per_byte(other) else "fails",
        f"Any perplexity of words can be had by knowing fewer of them. On the near passage {WORDS:,} words have "
        f"{perplexity(first):.1f}, with {100 * unknown_share(first):.0f} % of its words unknown; with {size} words it "
        f"is {perplexity(found):.2f}, below the {perplexity(other):.2f} of characters, for now "
        f"{100 * unknown_share(found):.0f} % are unknown, and unknown after unknown is easy to predict. The raw "
        f"passage then costs {bits_per_byte(found):.2f} bits a byte, against {bits_per_byte(other):.2f} by characters "
        f"and {bits_per_byte(first):.2f} with {WORDS:,} words. 5.77 measures the tokenizer.",
        (
            Measure(f"perplexity, {WORDS:,} words", perplexity(first)),
            Measure("words in the vocabulary that is below characters", size),
            Measure("perplexity, that vocabulary", perplexity(found)),
            Measure("share of unknown words, that vocabulary", unknown_share(found)),
            Measure("perplexity, characters", perplexity(other)),
            Measure("bits a byte, that vocabulary", bits_per_byte(found)),
            Measure("bits a byte, characters", bits_per_byte(other)),
        ),
        chart=Lines(
            "Fewer words: a lower perplexity, and more bits",
            "words in the vocabulary",
            "bits a byte of the near passage",
            (
                Series("unknown words spelled", tuple(map(float, SIZES)), spelled),
                Series("as the tokenizer sees it", tuple(map(float, SIZES)), plain),
                Series("characters", tuple(map(float, SIZES)), (bits_per_byte(other),) * len(SIZES)),
            ),
            f"As the vocabulary shrinks from {SIZES[0]:,} words to {SIZES[-1]}, the cost of the tokens alone falls "
            f"from {plain[0]:.2f} to {plain[-1]:.2f} bits a byte, and with unknown words spelled it rises from "
            f"{spelled[0]:.2f} to {spelled[-1]:.2f}.",
            log_x=True,
        ),
    )


@FAMILY.claim(
    "easier",
    "The passage with the lower perplexity is the one that the model of words knows better.",
    said_by="the lab, as a warning",
)
def _easier(seed: int) -> Finding:
    text = material(seed)
    near, far = (costs(words(text.train), raw) for raw in (text.near, text.far))
    agree = (perplexity(near) < perplexity(far)) == (bits_per_byte(near) < bits_per_byte(far))
    return Finding(
        "holds" if agree else "fails",
        f"The near passage has a perplexity of {perplexity(near):.1f} and the strange one of {perplexity(far):.1f}; in "
        f"bits a byte of the raw text they have {bits_per_byte(near):.2f} and {bits_per_byte(far):.2f}. What makes the "
        f"strange one look easy is that {100 * unknown_share(far):.0f} % of its words are unknown, against "
        f"{100 * unknown_share(near):.0f} %. Over its known words alone the perplexity is {known_perplexity(far):.1f}.",
        (
            Measure("perplexity, near passage", perplexity(near)),
            Measure("perplexity, strange passage", perplexity(far)),
            Measure("share of unknown words, near passage", unknown_share(near)),
            Measure("share of unknown words, strange passage", unknown_share(far)),
            Measure("perplexity over known words, strange passage", known_perplexity(far)),
            Measure("bits a byte, near passage", bits_per_byte(near)),
            Measure("bits a byte, strange passage", bits_per_byte(far)),
        ),
    )


@FAMILY.claim(
    "nothing-known",
    "A perplexity of words as low as that is had only on a passage whose words the model knows.",
    said_by="the lab, as a warning",
)
def _nothing_known(seed: int) -> Finding:
    text = material(seed)
    garbled = " ".join(word[::-1] + word for word in re.findall(r"[^\W\d_]{3,}", text.near))
    near, nothing = (costs(words(text.train), raw) for raw in (text.near, garbled))
    return Finding(
        "holds" if perplexity(nothing) > perplexity(near) else "fails",
        f"Write each word of the near passage backwards and forwards (sihtthis), and "
        f"{100 * unknown_share(nothing):.0f} % of the words are unknown. The model of {WORDS:,} words then has a "
        f"perplexity of {perplexity(nothing):.2f}, against {perplexity(near):.1f} on the passage itself: all that it "
        "has to know is that unknown follows unknown. A slip in reading a passage, such as taking a line for a word, "
        f"does the same. In bits the raw bytes of the garbled passage cost {bits_per_byte(nothing):.2f} each, against "
        f"{bits_per_byte(near):.2f}.",
        (
            Measure("perplexity, near passage", perplexity(near)),
            Measure("perplexity, garbled passage", perplexity(nothing)),
            Measure("share of unknown words, garbled passage", unknown_share(nothing)),
            Measure("bits a byte, near passage", bits_per_byte(near)),
            Measure("bits a byte, garbled passage", bits_per_byte(nothing)),
        ),
    )


@FAMILY.claim(
    "unknown",
    "On a strange passage the unknown words hold more bits than all that the perplexity of words measures.",
    said_by="the lab",
)
def _unknown(seed: int) -> Finding:
    text = material(seed)
    near, far = (costs(words(text.train), raw) for raw in (text.near, text.far))
    model, spelled = model_bits_per_byte(far), spelling_bits_per_byte(far)
    each = spelled * len(text.far.encode()) / max(int(far.unknown.sum()), 1)
    return Finding(
        "holds" if spelled > model else "fails",
        f"With {WORDS:,} words, {100 * unknown_share(far):.0f} % of the strange passage is unknown. Each unknown word "
        f"costs {each:.1f} bits to spell, by the letters of the words that are known. That comes to {spelled:.2f} bits "
        f"a byte of the passage; the tokens, which are all that the perplexity tells of, cost {model:.2f}. On the near "
        f"passage spelling costs {spelling_bits_per_byte(near):.2f} and the tokens {model_bits_per_byte(near):.2f}.",
        (
            Measure("share of unknown words, strange passage", unknown_share(far)),
            Measure("bits a byte of the tokens, strange passage", model),
            Measure("bits a byte of spelling, strange passage", spelled),
            Measure("bits an unknown word", each),
            Measure("bits a byte of the tokens, near passage", model_bits_per_byte(near)),
            Measure("bits a byte of spelling, near passage", spelling_bits_per_byte(near)),
        ),
    )


@FAMILY.claim(
    "dearer",
    "The strange passage costs characters more for its names, numbers and words never seen, not for common words.",
    said_by="the lab",
)
def _dearer(seed: int) -> Finding:
    text = material(seed)
    subject = characters(text.train)
    near, far = costs(subject, text.near), costs(subject, text.far)
    rate = float(near.comparable.sum()) / len(text.near.encode())
    excess = far.comparable - rate * far.encoding.raw_bytes
    seen = {word.lower() for word in re.findall(r"\w+", text.train)}
    parts: dict[str, float] = dict.fromkeys(("numbers", "names", "other words never seen", "words seen"), 0.0)
    for match in PIECE.finditer(text.far):  # a character is a token here
        parts[_sort(match[0], seen)] += float(excess[match.start() : match.end()].sum())
    total = sum(parts.values())
    shares = {name: part / total for name, part in parts.items()}
    told = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items())
    return Finding(
        "holds" if total > 0 and shares["words seen"] < 0.5 else "fails",
        f"By characters the near passage costs {bits_per_byte(near):.2f} bits a byte and the strange one "
        f"{bits_per_byte(far):.2f}. What it costs beyond the near one's rate comes from these parts, which add up: "
        f"{told}. A character that was never seen, as in Māori, costs 20 bits beside that of saying so.",
        (
            Measure("bits a byte, near passage", bits_per_byte(near)),
            Measure("bits a byte, strange passage", bits_per_byte(far)),
            *(Measure(f"share of the difference, {name}", share) for name, share in shares.items()),
        ),
    )


def _sort(piece: str, seen: set[str]) -> str:
    """What sort of word a piece is. A name is a word that begins with a capital and was never seen."""
    if re.search(r"\d", piece):
        return "numbers"
    if all(word.lower() in seen for word in re.findall(r"\w+", piece)):
        return "words seen"
    return "names" if re.match(r"\W*[^\W\d_a-z]", piece) else "other words never seen"
