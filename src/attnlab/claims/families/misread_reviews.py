"""Claim 20, the explanations: why reviews are misread, each tried by taking away what is blamed."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from attnlab.claims.claim import Bar, Bars, Family, Finding, Quantity
from attnlab.claims.review_models import fresh, over_seeds, praise, right
from attnlab.data.worlds.reviews.plans import Phrase, understates
from attnlab.data.worlds.reviews.reviews import Review, as_review
from attnlab.data.worlds.reviews.words import UNDERSTATED
from attnlab.numbers import percent

FAMILY = Family(
    20.3,
    "misread-reviews",
    "Why reviews are misread",
    question="Do the explanations of misread reviews hold when the network is asked again without what is blamed?",
)
ASKED, NETWORKS = 400, 16
"""Reviews a network, of which those that are misread count; networks differ, so it takes many to tell."""
_over_networks = partial(over_seeds, seeds=NETWORKS)


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
    """The phrases that speak for it."""
    return [phrase for phrase in review.phrases if phrase not in _against(review)]


def _denied(phrases: list[Phrase]) -> bool:
    return any(phrase.opinion.negation for phrase in phrases)


def _put_right(reviews: list[Review], seed: int, blamed: Callable[[Review], list[Phrase]]) -> float:
    """The share of some reviews that are read right when the phrases that are blamed are cut out."""
    said = praise("words", seed, [_without(review, blamed(review)) for review in reviews]) > 0.5
    return float((said == np.array([review.label == "pos" for review in reviews])).mean())


def _explains(share: tuple[float, float], control: tuple[float, float] = (0.0, 0.0)) -> bool:
    """Whether it is so of most reviews, and of more than with another change, beyond the intervals."""
    return share[0] - share[1] > max(0.5, control[0] + control[1])


def _misread(reviews: list[Review], seed: int) -> list[Review]:
    return [review for review, correct in zip(reviews, right("words", seed, reviews), strict=True) if not correct]


def _shares(title: str, *bars: tuple[str, tuple[float, float]]) -> Bars:
    """A chart of shares with their intervals."""
    drawn = (Bar(name, mean, max(0.0, mean - half), min(1.0, mean + half)) for name, (mean, half) in bars)
    said = ", ".join(f"{name}: {100 * mean:.0f} %" for name, (mean, _) in bars)
    return Bars(title, "share of reviews", tuple(drawn), f"{said}. The intervals are over {NETWORKS} seeds.")


@FAMILY.claim(
    "mixed",
    "It was misread because it mixes praise and blame: without the words of the other side it is read right.",
    said_by="E",
)
def _mixed(seed: int) -> Finding:
    found = {each: _misread(fresh(seed, each, ASKED, mixed=1.0, made_up=0.0), each) for each in range(NETWORKS)}
    plain = {each: [review for review in found[each] if not _denied(_for(review))] for each in found}
    cut = _over_networks(lambda each: _put_right(found[each], each, _against))
    cut_plain = _over_networks(lambda each: _put_right(plain[each], each, _against))
    control = _over_networks(lambda each: _put_right(found[each], each, lambda review: _for(review)[:1]))
    undenied = _explains(cut_plain, control) and cut_plain[0] - cut_plain[1] > cut[0] + cut[1]
    always = _explains(cut, control) and not undenied
    return Finding(
        "holds" if always else "holds if" if undenied else "fails",
        f"Of {ASKED} fresh reviews that mix praise and blame, a network misread "
        f"{sum(map(len, found.values())) / NETWORKS:.0f}. With the phrases cut out that speak against the label, "
        f"{percent(*cut)} of these are read right, and {percent(*cut_plain)} of those in which what is left denies "
        f"nothing; with one phrase cut out that speaks for the label, {percent(*control)}. Where what speaks for the "
        f"label is itself a denial, it is that which was misread (95 % intervals over {NETWORKS} seeds).",
        (
            Quantity("put right without the other side", *cut, "95 % interval"),
            Quantity("the same, where what is left denies nothing", *cut_plain, "95 % interval"),
            Quantity("put right without a phrase of its own side", *control, "95 % interval"),
            Quantity("misread reviews, all seeds", sum(map(len, found.values()))),
        ),
        condition="what speaks for the label denies nothing" if undenied else "",
        chart=_shares(
            "Misread mixed reviews, asked again",
            ("without the other side", cut),
            ("the same, nothing denied", cut_plain),
            ("without one of its own", control),
        ),
    )


def _openings(claim_seed: int, seed: int, heavier: bool) -> tuple[float, float]:
    """How often contrasts of praise first and blame last are taken for praise, and how far a swap moves the score."""
    drawn = fresh(claim_seed, seed, 2 * ASKED, contrast=1.0, negation=0.0, made_up=0.0)
    chosen = [each for each in drawn if each.label == "neg" and each.plan.deciding == (1,)]
    chosen = [each for each in chosen if (_weight(_against(each)) - _weight(_for(each))) * (1 if heavier else -1) > 0]
    said = praise("words", seed, [each.text for each in chosen])
    swapped = praise("words", seed, [each.swapped.text for each in chosen if each.swapped])
    return float((said > 0.5).mean()), float(np.abs(said - swapped).max())


def _weight(phrases: list[Phrase]) -> int:
    return sum(phrase.opinion.weight for phrase in phrases)


@FAMILY.claim("opening", "It was misread because a positive opening outweighs the turn.", said_by="E")
def _opening(seed: int) -> Finding:
    heavy = _over_networks(lambda each: _openings(seed, each, heavier=True)[0])
    light = _over_networks(lambda each: _openings(seed, each, heavier=False)[0])
    moved = max(_openings(seed, each, heavier=True)[1] for each in range(NETWORKS))
    outweighs, in_any_case = _explains(heavy), _explains(light)
    by_weight = outweighs and light[0] + light[1] < 0.5 and moved < 1e-5
    return Finding(
        "holds" if outweighs and in_any_case else "holds if" if by_weight else "fails",
        f"“The start is superb, but the end is weak”: opening with praise that is stronger than the blame behind the "
        f"“but”, {percent(*heavy)} of such reviews are taken for praise; with weaker praise, {percent(*light)}. That "
        f"it comes first has nothing to do with it: with the halves swapped, so that the praise decides, the "
        f"probability moves by {moved:.0e} at most. The opening wins by its words, and would do so as an end (95 % "
        f"intervals over {NETWORKS} seeds).",
        (
            Quantity("taken for praise, the opening heavier", *heavy, "95 % interval"),
            Quantity("taken for praise, the opening lighter", *light, "95 % interval"),
            Quantity("largest change of a probability by swapping the halves", moved, how="observed"),
        ),
        condition="its words are the stronger ones; that it comes first does not matter" if by_weight else "",
        chart=_shares(
            "Praise, then “but”, then blame: taken for praise", ("strong praise", heavy), ("weak praise", light)
        ),
    )


@FAMILY.claim(
    "negation", "It was misread because of a negation, as in “not half bad”: the network does not heed it.", said_by="E"
)
def _negation(seed: int) -> Finding:
    asked = {
        each: [r for r in fresh(seed, each, ASKED, negation=1.0, made_up=0.0) if r.flipped] for each in range(NETWORKS)
    }
    found = {each: _misread(asked[each], each) for each in range(NETWORKS)}

    def unmoved(each: int) -> float:
        """The share of misread reviews of which the network says the same without the denial."""
        before = praise("words", each, [review.text for review in found[each]])
        after = praise("words", each, [review.flipped.text for review in found[each] if review.flipped])
        return float(((before > 0.5) == (after > 0.5)).mean())

    def taken_for_blame(each: int, negation: str) -> float:
        """The share of mild or plain blame, denied by these words, that is taken for blame."""
        single = [review.plan for review in asked[each] if len(review.phrases) == 1]
        opinions = [(plan, replace(plan.groups[0][0], negation=negation)) for plan in single]
        chosen = [as_review(replace(plan, groups=((said,),))) for plan, said in opinions if understates(said)]
        return 1 - float(right("words", each, chosen).mean())

    same = _over_networks(unmoved)
    half, bare = (
        _over_networks(lambda each, words=words: taken_for_blame(each, words)) for words in (UNDERSTATED, "not")
    )
    always, mostly = _explains(same) and _explains(half), _explains(same) and _explains(bare)
    return Finding(
        "holds" if always else "holds if" if mostly else "fails",
        f"Of {ASKED} reviews that only deny, a network misread {sum(map(len, found.values())) / NETWORKS:.0f}. Asked "
        f"again with every denial taken out, which turns what they mean, it says the same of {percent(*same)} of them. "
        f"What is “not bad”, or not tame, or not dull, is taken for blame in {percent(*bare)} of the cases; what is "
        f"“not half bad” in {percent(*half)}. The two differ by one word, which in these reviews denies nothing "
        f"but blame, so that it can be learnt as praise (95 % intervals over {NETWORKS} seeds).",
        (
            Quantity("the same answer without the denials", *same, "95 % interval"),
            Quantity("“not bad” taken for blame", *bare, "95 % interval"),
            Quantity("“not half bad” taken for blame", *half, "95 % interval"),
            Quantity("misread reviews, all seeds", sum(map(len, found.values()))),
        ),
        condition="the words of denial stand before praise as well: “half” can give “not half bad” away"
        if mostly and not always
        else "",
        chart=_shares(
            "What is denied",
            ("same answer without denials", same),
            ("“not bad” is bad", bare),
            ("“not half bad” is", half),
        ),
    )


@FAMILY.claim(
    "loud-word", "It was misread because one strong word drowns the rest: without it, the label turns.", said_by="E"
)
def _loud_word(seed: int) -> Finding:
    asked = {each: fresh(seed, each, ASKED, reported=1.0, negation=0.0, made_up=0.0) for each in range(NETWORKS)}
    loud = {each: [review for review in asked[each] if review.loud] for each in asked}
    found = {each: _misread(loud[each], each) for each in range(NETWORKS)}
    misread = _over_networks(lambda each: len(found[each]) / len(loud[each]))
    cut = _over_networks(lambda each: _put_right(found[each], each, lambda r: [r.loud] if r.loud else []))
    control = _over_networks(lambda each: _put_right(found[each], each, lambda r: _for(r)[:1]))
    return Finding(
        "holds" if _explains(cut, control) else "fails",
        f"“The critics say that the plot is superb. I say that the cast is tame and the end is weak”: with one loud "
        f"word against the writer's mild ones, {percent(*misread)} of such reviews are misread. With that word cut "
        f"out, {percent(*cut)} of these turn and are right; with one of the mild words cut out instead, "
        f"{percent(*control)} (95 % intervals over {NETWORKS} seeds).",
        (
            Quantity("misread, one loud word against mild ones", *misread, "95 % interval"),
            Quantity("put right without the loud word", *cut, "95 % interval"),
            Quantity("put right without a mild word", *control, "95 % interval"),
        ),
        chart=_shares(
            "One loud word against mild ones",
            ("misread", misread),
            ("put right without it", cut),
            ("put right without a mild word", control),
        ),
    )
