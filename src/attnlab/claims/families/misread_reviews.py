"""Claim 20, the explanations: why reviews are misclassified. Each is tested by removing the words that it blames."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from attnlab.charts import Bars
from attnlab.claims.claim import Family, Finding, Quantity, share_bar
from attnlab.claims.models.reviews import WORLD, fresh, praise, right
from attnlab.claims.seeds import Rate, RateDifference, over_worlds, worlds
from attnlab.data.worlds.reviews.plans import Phrase, understates
from attnlab.data.worlds.reviews.reviews import Review, as_review
from attnlab.data.worlds.reviews.vocabulary import ADJECTIVES, UNDERSTATED
from attnlab.numbers import percent, points, whole_percent

FAMILY = Family(
    20.3,
    "misread-reviews",
    "Why reviews are misclassified",
    bench="sentiment",
    question="Why are reviews misclassified? Each explanation names the words to blame: does the answer change if "
    "they are removed?",
    shares="reviews",
)
ASKED, NETWORKS = 400, 16
"""How many reviews per network, and how many networks. Networks differ, so many are needed."""


def _over_networks(measure: Callable[[int], Rate | RateDifference], seed: int) -> tuple[float, float]:
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


def _put_right(reviews: list[Review], seed: int, blamed: Callable[[Review], list[Phrase]]) -> Rate:
    """The share of the reviews that are classified correctly without the blamed phrases."""
    said = praise("words", seed, [_without(review, blamed(review)) for review in reviews]) > 0.5
    return Rate.of(said == np.array([review.label == "pos" for review in reviews]))


def _explains(share: tuple[float, float], control: tuple[float, float] = (0.0, 0.0)) -> bool:
    """Whether the share is above one half and above the control, beyond the intervals."""
    return share[0] - share[1] > max(0.5, control[0] + control[1])


def _misread(reviews: list[Review], seed: int) -> list[Review]:
    return [review for review, correct in zip(reviews, right("words", seed, reviews), strict=True) if not correct]


def _shares(title: str, *bars: tuple[str, tuple[float, float]]) -> Bars:
    """A chart of shares with their intervals."""
    drawn = (share_bar(name, *value) for name, value in bars)
    said = ", ".join(f"{name}: {whole_percent(mean)}" for name, (mean, _) in bars)
    return Bars(title, "share of reviews", tuple(drawn), f"{said}. The intervals are over {NETWORKS} seeds.")


def _removal(title: str, *found: tuple[str, tuple[float, float]]) -> tuple[tuple[Quantity, ...], str, Bars]:
    """What removing words did, for a finding: the measures, no condition, and the chart."""
    return tuple(Quantity(name, *value, "95 % interval") for name, value in found), "", _shares(title, *found)


@FAMILY.claim(
    "mixed",
    "The review was misclassified because it mixes praise and blame: without the phrases against its label it is "
    "classified correctly.",
    said_by="E",
    place="review 0",
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
            Quantity("misclassified reviews, all seeds", sum(map(len, found.values())), how="observed"),
        ),
        condition="no phrase for the label is negated" if undenied else "",
        chart=_shares(
            "Misclassified mixed reviews, with phrases cut out",
            ("without phrases against the label", cut),
            ("the same, nothing negated", cut_plain),
            ("without a phrase for the label", control),
        ),
    )


def _openings(seed: int, heavier: bool) -> tuple[Rate, float]:
    """How often reviews with praise first and blame last are called positive, and the largest change by a swap."""
    drawn = fresh(seed, 2 * ASKED, contrast=1.0, negation=0.0, made_up=0.0)
    chosen = [each for each in drawn if each.label == "neg" and each.plan.deciding == (1,)]
    chosen = [each for each in chosen if (_weight(_against(each)) - _weight(_for(each))) * (1 if heavier else -1) > 0]
    said = praise("words", seed, [each.text for each in chosen])
    swapped = praise("words", seed, [each.swapped.text for each in chosen if each.swapped])
    return Rate.of(said > 0.5), float(np.abs(said - swapped).max())


def _weight(phrases: list[Phrase]) -> int:
    return sum(phrase.opinion.weight for phrase in phrases)


@FAMILY.claim(
    "opening",
    "The review was misclassified because a positive opening outweighs the negative end.",
    said_by="E",
    place="review 1",
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
        f"decides, the probability moves by {moved:.1g} at most. The opening wins by its words, and would win at the "
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


def _examples(seed: int) -> tuple[list[str], list[str], list[str]]:
    """Reviews that call the film “a superb example of how weak a film can be”: as they are, without the word of praise,
    and without the word of blame. All of them blame."""
    drawn = fresh(seed, 2 * ASKED, mixed=0.0, negation=0.0, made_up=0.0)
    mild = [each for each in drawn if len(each.phrases) == 1 and each.phrases[0].opinion.strength < 3]
    blaming = [each for each in mild if each.label == "neg"][: ASKED // 4]
    found: tuple[list[str], list[str], list[str]] = ([], [], [])
    for number, review in enumerate(blaming):
        good, bad = ADJECTIVES[1][2][number % WORLD.words], review.phrases[0].opinion.word
        for texts, words in zip(found, ((good, bad), ("", bad), (good, "")), strict=True):
            texts.append(f"It is a {words[0]} example of how {words[1]} a film can be.")
    return found


@FAMILY.claim(
    "example",
    "The review was misclassified because a phrase such as “a perfect example” is taken for praise.",
    said_by="E",
    place="review 2",
)
def _example(seed: int) -> Finding:
    texts = {each: _examples(each) for each in worlds(seed, NETWORKS)}
    said = {each: [praise("words", each, kind) > 0.5 for kind in texts[each]] for each in texts}
    misread = _over_networks(lambda each: Rate.of(said[each][0]), seed)
    mended = _over_networks(lambda each: Rate.of(~said[each][1]), seed)
    control = _over_networks(lambda each: Rate.of(~said[each][2]), seed)
    return Finding(
        "holds" if misread[0] - misread[1] > 0.1 and _explains(mended, control) else "fails",
        f"“It is a superb example of how weak a film can be” blames. An averaging network calls {percent(*misread)} "
        f"of such sentences positive. Without the word of praise, {percent(*mended)} are classified correctly; "
        f"without the word of blame instead, {percent(*control)} are. To an average the word praises, whatever it is "
        f"an example of (95 % intervals over {NETWORKS} seeds).",
        *_removal(
            "“A superb example of how weak a film can be”",
            ("classified as positive", misread),
            ("correct without the word of praise", mended),
            ("correct without the word of blame", control),
        ),
    )


@FAMILY.claim(
    "negation",
    "The review was misclassified because the network ignores its negations: without them it gives the same answer.",
    said_by="the lab",
)
def _negation(seed: int) -> Finding:
    asked = {
        each: [r for r in fresh(each, ASKED, negation=1.0, made_up=0.0) if r.flipped] for each in worlds(seed, NETWORKS)
    }
    found = {each: _misread(asked[each], each) for each in asked}

    def unmoved(each: int) -> Rate:
        """The share of misclassified reviews for which the answer is the same without the negations."""
        before = praise("words", each, [review.text for review in found[each]])
        after = praise("words", each, [review.flipped.text for review in found[each] if review.flipped])
        return Rate.of((before > 0.5) == (after > 0.5))

    def taken_for_blame(each: int, negation: str) -> Rate:
        """The share of mild or plain blame, negated by these words, that is classified as negative."""
        single = [review.plan for review in asked[each] if len(review.phrases) == 1]
        opinions = [(plan, replace(plan.groups[0][0], negation=negation)) for plan in single]
        chosen = [as_review(replace(plan, groups=((said,),))) for plan, said in opinions if understates(said)]
        return Rate.of(~right("words", each, chosen))

    same = _over_networks(unmoved, seed)
    half, bare = (
        _over_networks(lambda each, words=words: taken_for_blame(each, words), seed) for words in (UNDERSTATED, "not")
    )
    return Finding(
        "holds" if _explains(same) else "fails",
        f"Of {ASKED} reviews in which every opinion is negated, a network misclassified "
        f"{sum(map(len, found.values())) / NETWORKS:.0f} on average. With all negations removed, which reverses the "
        f"meaning, it gives the same answer for {percent(*same)} of these. Opinions such as “not bad”, “not tame” or "
        f"“not dull” are classified as negative in {percent(*bare)} of the cases, “not half bad” in {percent(*half)}. "
        "The two differ by the word “half”. In these reviews it only occurs where blame is negated, so a network can "
        f"learn it as praise, and some do (95 % intervals over {NETWORKS} seeds). E names “not half bad” as praise in "
        "its review 4, and does not say that the network misread it.",
        (
            Quantity("the same answer without the negations", *same, "95 % interval"),
            Quantity("“not bad” classified as negative", *bare, "95 % interval"),
            Quantity("“not half bad” classified as negative", *half, "95 % interval"),
            Quantity("misclassified reviews, all seeds", sum(map(len, found.values())), how="observed"),
        ),
        chart=_shares(
            "Negated opinions",
            ("same answer without negations", same),
            ("“not bad” classified as negative", bare),
            ("“not half bad” classified as negative", half),
        ),
    )


def _errors_by_balance(seed: int) -> tuple[Rate, Rate]:
    """The shares of misclassified reviews whose praise and blame weigh almost the same, and of those where one side is
    far heavier."""
    reviews = fresh(seed, ASKED, mixed=1.0, negation=0.0, made_up=0.0)
    wrong = ~right("words", seed, reviews)
    apart = np.array([abs(review.plan.balance) for review in reviews])
    return Rate.of(wrong[apart == 1]), Rate.of(wrong[apart >= 3])


@FAMILY.claim(
    "balance",
    "The review was misclassified because its praise and its flaws are in balance.",
    said_by="E",
    place="review 4",
)
def _balance(seed: int) -> Finding:
    errors = {each: _errors_by_balance(each) for each in worlds(seed, NETWORKS)}
    near, far = (_over_networks(lambda each, side=side: errors[each][side], seed) for side in (0, 1))
    more = _over_networks(lambda each: errors[each][0] - errors[each][1], seed)
    return Finding(
        "holds" if more[0] - more[1] > 0 else "fails",
        "Each phrase weighs 1, 2 or 3, and the heavier side decides the label. Where praise and blame differ by 1, a "
        f"network misclassifies {percent(*near)} of the mixed reviews; where they differ by 3 or more, "
        f"{percent(*far)}. The difference is {points(*more)}. An average weighs the "
        "words roughly as their writer did, so it errs where the two sides are close, and such errors say little "
        f"about a single word (95 % intervals over {NETWORKS} seeds).",
        (
            Quantity("misclassified, the sides differ by 1", *near, "95 % interval"),
            Quantity("misclassified, the sides differ by 3 or more", *far, "95 % interval"),
            Quantity("the difference", *more, "95 % interval"),
        ),
        chart=_shares("Mixed reviews that are misclassified", ("sides differ by 1", near), ("by 3 or more", far)),
    )


@FAMILY.claim(
    "keywords",
    "The review was misclassified because positive keywords overshadow the negative phrases: without them, the answer "
    "mostly changes.",
    said_by="E",
    place="review 3",
)
def _keywords(seed: int) -> Finding:
    asked = {each: fresh(each, ASKED, reported=1.0, negation=0.0, made_up=0.0) for each in worlds(seed, NETWORKS)}
    loud = {each: [review for review in asked[each] if review.loud and review.label == "neg"] for each in asked}
    found = {each: _misread(loud[each], each) for each in worlds(seed, NETWORKS)}
    misread = _over_networks(lambda each: Rate(len(found[each]) / len(loud[each]), len(loud[each])), seed)
    cut = _over_networks(lambda each: _put_right(found[each], each, lambda r: [r.loud] if r.loud else []), seed)
    control = _over_networks(lambda each: _put_right(found[each], each, lambda r: _for(r)[:1]), seed)
    return Finding(
        "holds" if cut[0] > 0.5 and cut[0] - cut[1] > control[0] + control[1] else "fails",
        "“The critics say that the plot is superb. I say that the cast is tame and the end is weak”: with one strong "
        f"word of praise against the writer's mild blame, {percent(*misread)} of such reviews are misclassified. "
        f"Without that word, {percent(*cut)} of these are classified correctly; without one of the mild words "
        f"instead, {percent(*control)} are (95 % intervals over {NETWORKS} seeds).",
        *_removal(
            "Strong praise against mild blame",
            ("misclassified", misread),
            ("correct without the strong word", cut),
            ("correct without a mild word", control),
        ),
    )
