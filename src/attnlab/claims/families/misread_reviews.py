"""Claim 20, the explanations: why reviews are misclassified. Each is tested by removing the words that it blames."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from attnlab.charts import Bars
from attnlab.claims.claim import Family, Finding, Quantity, share_bar
from attnlab.claims.review_models import fresh, praise, right
from attnlab.claims.seeds import over_worlds, worlds
from attnlab.data.worlds.reviews.plans import Phrase, understates
from attnlab.data.worlds.reviews.reviews import Review, as_review
from attnlab.data.worlds.reviews.words import UNDERSTATED
from attnlab.numbers import percent

FAMILY = Family(
    20.3,
    "misread-reviews",
    "Why reviews are misclassified",
    question="Why are reviews misclassified? Each explanation names the words to blame: does the answer change if "
    "they are removed?",
    shares="reviews",
)
ASKED, NETWORKS = 400, 16
"""How many reviews per network, and how many networks. Networks differ, so many are needed."""


def _over_networks(measure: Callable[[int], float], seed: int) -> tuple[float, float]:
    return over_worlds(measure, seed, NETWORKS)


def _without(review: Review, phrases: list[Phrase]) -> str:
    """The review's text with some phrases cut out."""
    text = review.text
    for phrase in sorted(phrases, key=lambda each: -each.start):
        text = text[: phrase.start] + text[phrase.stop :]
    return text


def _against(review: Review) -> list[Phrase]:
    """The phrases that speak against the label."""
    return [phrase for phrase in review.phrases if (phrase.opinion.says > 0) != (review.label == "pos")]


def _for(review: Review) -> list[Phrase]:
    """The phrases that speak for the label."""
    return [phrase for phrase in review.phrases if phrase not in _against(review)]


def _denied(phrases: list[Phrase]) -> bool:
    return any(phrase.opinion.negation for phrase in phrases)


def _put_right(reviews: list[Review], seed: int, blamed: Callable[[Review], list[Phrase]]) -> float:
    """The share of the reviews that are classified correctly without the blamed phrases."""
    said = praise("words", seed, [_without(review, blamed(review)) for review in reviews]) > 0.5
    return float((said == np.array([review.label == "pos" for review in reviews])).mean())


def _explains(share: tuple[float, float], control: tuple[float, float] = (0.0, 0.0)) -> bool:
    """Whether the share is above one half and above the control, beyond the intervals."""
    return share[0] - share[1] > max(0.5, control[0] + control[1])


def _misread(reviews: list[Review], seed: int) -> list[Review]:
    return [review for review, correct in zip(reviews, right("words", seed, reviews), strict=True) if not correct]


def _shares(title: str, *bars: tuple[str, tuple[float, float]]) -> Bars:
    """A chart of shares with their intervals."""
    drawn = (share_bar(name, *value) for name, value in bars)
    said = ", ".join(f"{name}: {100 * mean:.0f} %" for name, (mean, _) in bars)
    return Bars(title, "share of reviews", tuple(drawn), f"{said}. The intervals are over {NETWORKS} seeds.")


@FAMILY.claim(
    "mixed",
    "The review was misclassified because it mixes praise and blame: without the phrases against its label it is "
    "classified correctly.",
    said_by="E",
)
def _mixed(seed: int) -> Finding:
    found = {each: _misread(fresh(each, ASKED, mixed=1.0, made_up=0.0), each) for each in worlds(seed, NETWORKS)}
    plain = {each: [review for review in found[each] if not _denied(_for(review))] for each in found}
    cut = _over_networks(lambda each: _put_right(found[each], each, _against), seed)
    cut_plain = _over_networks(lambda each: _put_right(plain[each], each, _against), seed)
    control = _over_networks(lambda each: _put_right(found[each], each, lambda review: _for(review)[:1]), seed)
    undenied = _explains(cut_plain, control) and cut_plain[0] - cut_plain[1] > cut[0] + cut[1]
    always = _explains(cut, control) and not undenied
    return Finding(
        "holds" if always else "holds if" if undenied else "fails",
        f"Of {ASKED} fresh reviews that mix praise and blame, a network misclassified "
        f"{sum(map(len, found.values())) / NETWORKS:.0f} on average. With the phrases against the label cut out, "
        f"{percent(*cut)} of these are classified correctly; of those in which no remaining phrase is negated, "
        f"{percent(*cut_plain)}. With one phrase for the label cut out instead, {percent(*control)} are. Where a "
        f"phrase for the label is itself negated, the network misreads that phrase (95 % intervals over {NETWORKS} "
        "seeds).",
        (
            Quantity("correct without the phrases against the label", *cut, "95 % interval"),
            Quantity("the same, where no remaining phrase is negated", *cut_plain, "95 % interval"),
            Quantity("correct without a phrase for the label", *control, "95 % interval"),
            Quantity("misclassified reviews, all seeds", sum(map(len, found.values()))),
        ),
        condition="no phrase for the label is negated" if undenied else "",
        chart=_shares(
            "Misclassified mixed reviews, with phrases cut out",
            ("without phrases against the label", cut),
            ("the same, nothing negated", cut_plain),
            ("without a phrase for the label", control),
        ),
    )


def _openings(seed: int, heavier: bool) -> tuple[float, float]:
    """How often reviews with praise first and blame last are called positive, and the largest change by a swap."""
    drawn = fresh(seed, 2 * ASKED, contrast=1.0, negation=0.0, made_up=0.0)
    chosen = [each for each in drawn if each.label == "neg" and each.plan.deciding == (1,)]
    chosen = [each for each in chosen if (_weight(_against(each)) - _weight(_for(each))) * (1 if heavier else -1) > 0]
    said = praise("words", seed, [each.text for each in chosen])
    swapped = praise("words", seed, [each.swapped.text for each in chosen if each.swapped])
    return float((said > 0.5).mean()), float(np.abs(said - swapped).max())


def _weight(phrases: list[Phrase]) -> int:
    return sum(phrase.opinion.weight for phrase in phrases)


@FAMILY.claim(
    "opening", "The review was misclassified because a positive opening outweighs the negative end.", said_by="E"
)
def _opening(seed: int) -> Finding:
    heavy = _over_networks(lambda each: _openings(each, heavier=True)[0], seed)
    light = _over_networks(lambda each: _openings(each, heavier=False)[0], seed)
    moved = max(_openings(each, heavier=True)[1] for each in worlds(seed, NETWORKS))
    outweighs, in_any_case = _explains(heavy), _explains(light)
    by_weight = outweighs and light[0] + light[1] < 0.5 and moved < 1e-5
    return Finding(
        "holds" if outweighs and in_any_case else "holds if" if by_weight else "fails",
        "“The start is superb, but the end is weak”: if the praise at the opening is stronger than the blame after "
        f"the “but”, {percent(*heavy)} of such reviews are classified as positive; if it is weaker, "
        f"{percent(*light)}. The position of the praise does not matter: with the halves swapped, so that the praise "
        f"decides, the probability moves by {moved:.0e} at most. The opening wins by its words, and would win at the "
        f"end as well (95 % intervals over {NETWORKS} seeds).",
        (
            Quantity("classified as positive, strong praise at the opening", *heavy, "95 % interval"),
            Quantity("classified as positive, weak praise at the opening", *light, "95 % interval"),
            Quantity("largest change of a probability by swapping the halves", moved, how="observed"),
        ),
        condition="its words are the stronger ones; that it comes first does not matter" if by_weight else "",
        chart=_shares(
            "Praise, then “but”, then blame: classified as positive", ("strong praise", heavy), ("weak praise", light)
        ),
    )


@FAMILY.claim(
    "negation",
    "The review was misclassified because of a negation, as in “not half bad”: the network ignores it.",
    said_by="E",
)
def _negation(seed: int) -> Finding:
    asked = {
        each: [r for r in fresh(each, ASKED, negation=1.0, made_up=0.0) if r.flipped] for each in worlds(seed, NETWORKS)
    }
    found = {each: _misread(asked[each], each) for each in worlds(seed, NETWORKS)}

    def unmoved(each: int) -> float:
        """The share of misclassified reviews for which the answer is the same without the negations."""
        before = praise("words", each, [review.text for review in found[each]])
        after = praise("words", each, [review.flipped.text for review in found[each] if review.flipped])
        return float(((before > 0.5) == (after > 0.5)).mean())

    def taken_for_blame(each: int, negation: str) -> float:
        """The share of mild or plain blame, negated by these words, that is classified as negative."""
        single = [review.plan for review in asked[each] if len(review.phrases) == 1]
        opinions = [(plan, replace(plan.groups[0][0], negation=negation)) for plan in single]
        chosen = [as_review(replace(plan, groups=((said,),))) for plan, said in opinions if understates(said)]
        return 1 - float(right("words", each, chosen).mean())

    same = _over_networks(unmoved, seed)
    half, bare = (
        _over_networks(lambda each, words=words: taken_for_blame(each, words), seed) for words in (UNDERSTATED, "not")
    )
    always, mostly = _explains(same) and _explains(half), _explains(same) and _explains(bare)
    return Finding(
        "holds" if always else "holds if" if mostly else "fails",
        f"Of {ASKED} reviews in which every opinion is negated, a network misclassified "
        f"{sum(map(len, found.values())) / NETWORKS:.0f} on average. With all negations removed, which reverses the "
        f"meaning, it gives the same answer for {percent(*same)} of these. Opinions such as “not bad”, “not tame” or "
        f"“not dull” are classified as negative in {percent(*bare)} of the cases, “not half bad” in {percent(*half)}. "
        "The two differ by the word “half”. In these reviews it only occurs where blame is negated, so the network "
        f"can learn it as praise (95 % intervals over {NETWORKS} seeds).",
        (
            Quantity("the same answer without the negations", *same, "95 % interval"),
            Quantity("“not bad” classified as negative", *bare, "95 % interval"),
            Quantity("“not half bad” classified as negative", *half, "95 % interval"),
            Quantity("misclassified reviews, all seeds", sum(map(len, found.values()))),
        ),
        condition="the negating words also stand before praise, unlike “half” in “not half bad”"
        if mostly and not always
        else "",
        chart=_shares(
            "Negated opinions",
            ("same answer without negations", same),
            ("“not bad” classified as negative", bare),
            ("“not half bad” classified as negative", half),
        ),
    )


@FAMILY.claim(
    "loud-word",
    "The review was misclassified because one strong word outweighs the rest: without it, the answer changes.",
    said_by="E",
)
def _loud_word(seed: int) -> Finding:
    asked = {each: fresh(each, ASKED, reported=1.0, negation=0.0, made_up=0.0) for each in worlds(seed, NETWORKS)}
    loud = {each: [review for review in asked[each] if review.loud] for each in asked}
    found = {each: _misread(loud[each], each) for each in worlds(seed, NETWORKS)}
    misread = _over_networks(lambda each: len(found[each]) / len(loud[each]), seed)
    cut = _over_networks(lambda each: _put_right(found[each], each, lambda r: [r.loud] if r.loud else []), seed)
    control = _over_networks(lambda each: _put_right(found[each], each, lambda r: _for(r)[:1]), seed)
    return Finding(
        "holds" if _explains(cut, control) else "fails",
        "“The critics say that the plot is superb. I say that the cast is tame and the end is weak”: with one strong "
        f"word against the writer's mild ones, {percent(*misread)} of such reviews are misclassified. With that word "
        f"cut out, {percent(*cut)} of these are classified correctly; with one of the mild words cut out instead, "
        f"{percent(*control)} are (95 % intervals over {NETWORKS} seeds).",
        (
            Quantity("misclassified, one strong word against mild ones", *misread, "95 % interval"),
            Quantity("correct without the strong word", *cut, "95 % interval"),
            Quantity("correct without a mild word", *control, "95 % interval"),
        ),
        chart=_shares(
            "One strong word against mild ones",
            ("misclassified", misread),
            ("correct without the strong word", cut),
            ("correct without a mild word", control),
        ),
    )
