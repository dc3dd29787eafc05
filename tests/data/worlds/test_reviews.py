"""The truth about generated reviews is true: a reader that knows only the text comes to the same."""

import hashlib
import re
import subprocess
import sys
from collections import Counter
from math import sqrt

import pytest

from attnlab.data.worlds.reviews import vocabulary as words
from attnlab.data.worlds.reviews.draws import ReviewSettings
from attnlab.data.worlds.reviews.reviews import generate_reviews, named_reviews
from attnlab.errors import ArgumentError

REVIEWS = generate_reviews(3000, ReviewSettings(mislabelled=0.05, made_up=0.05), seed=7)
WORD = re.compile(r"\w+|[^\w\s]")

# What a reader of English knows, written down once more.
DENIALS = ("certainly not", "not half", "by no means", "far from", "hardly", "never", "not")
OWN = ("I say that ", "I claim that ", "I think that ", "we found that ", "for me ", "If you ask me, ")
LOUD = {word for sign in (1, -1) for word in (*words.ADJECTIVES[sign][2], *(n.split()[1] for n in words.NOUNS[sign]))}


def polarities() -> dict[str, tuple[int, int]]:
    """The polarity and strength of every word; those of a word that is made up are its number's."""
    found = {words.made_up_word(n): (1 if n % 2 else -1, 0) for n in range(words.MADE_UP)}
    for sign in (1, -1):
        for strength, row in enumerate(words.ADJECTIVES[sign], start=1):
            found |= dict.fromkeys(row, (sign, strength))
        found |= dict.fromkeys((noun.split()[1] for noun in words.NOUNS[sign]), (sign, 3))
    return found


KNOWN = polarities()
OPINION = re.compile(
    rf"(?:is|are|was|were|seemed|felt|remains?) (?:({'|'.join(DENIALS)}) )?"
    rf"(?:(?:{'|'.join(words.INTENSIFIERS)}) )?(?:an? )?(\w+)(?=[,.;]| and)"
)


def opinions(text: str) -> list[tuple[int, int, str, bool]]:
    """(praise or blame, how loud its word is, the word, denied) of each opinion in a text; facts have none."""
    found = []
    for denial, word in OPINION.findall(text):
        if word in KNOWN:
            sign, strength = KNOWN[word]
            found.append((-sign if denial else sign, strength, word, bool(denial)))
    return found


def deciding(text: str) -> str:
    """The part of a text that decides, by its own words."""
    for facts in (*words.OPENINGS, *words.FACTS):
        text = text.replace(facts, "")
    text = text.strip()
    for mark in OWN:
        if mark in text:
            return re.split(r"[.] [A-Z]|, while|;", text.split(mark)[1])[0] + "."
    if text.startswith("Although"):
        return text.partition(", ")[2]
    if ", although" in text:
        return text.partition(", although")[0] + "."
    return re.split(r", (?:but|yet)", text)[-1]


def bag(text: str) -> Counter[str]:
    return Counter(WORD.findall(text.lower()))


def test_a_reader_who_knows_the_words_comes_to_the_label():
    for review in REVIEWS:
        weights = [sign * (1 if denied else strength) for sign, strength, _, denied in opinions(deciding(review.text))]
        if review.rare and review.kind == "mixed":
            continue  # how strong a made-up word is cannot be read
        total = sum(weights) or opinions(deciding(review.text))[0][0]
        assert (review.label == "pos") == ((total > 0) != review.mislabelled), review.text


def test_each_phrase_stands_where_it_is_said_to_and_says_what_it_says():
    for review in REVIEWS:
        for phrase in review.phrases:
            assert review.text[phrase.start : phrase.stop] == phrase.opinion.phrase
        read = [(sign, word, denied) for sign, _, word, denied in opinions(review.text)]
        told = [(p.opinion.says, p.opinion.word.split()[-1], bool(p.opinion.negation)) for p in review.phrases]
        assert read == told
        assert set(review.rare) == {word for _, word, _ in read if word not in KNOWN or KNOWN[word][1] == 0}


def test_the_kind_is_what_the_text_shows():
    for review in REVIEWS:
        signs = {sign for sign, *_ in opinions(review.text)}
        decided = [sign for sign, *_ in opinions(deciding(review.text))]
        own = any(mark in review.text for mark in OWN)
        contrast = not own and bool(re.search(r", (but|yet|although) |Although ", review.text))
        assert (review.kind == "reported") == own
        assert (review.kind == "contrast") == contrast
        assert (review.kind == "plain") == (len(signs) == 1)
        assert review.negated == any(denied for *_, denied in opinions(deciding(review.text)))
        if review.kind in ("contrast", "reported"):
            assert len(signs) == 2
            assert set(decided) == {1 if (review.label == "pos") != review.mislabelled else -1}


def test_a_loud_phrase_speaks_against_the_label():
    found = [review for review in REVIEWS if review.loud]
    assert len(found) > 100
    for review in found:
        assert review.loud is not None
        assert review.loud.opinion.word.split()[-1] in LOUD
        assert review.loud.opinion.says == (-1 if review.label == "pos" else 1)
        assert not review.loud.opinion.negation


def test_swapped_halves_have_the_same_words_and_the_other_label():
    twins = [(review, review.swapped) for review in REVIEWS if review.kind in ("contrast", "reported")]
    assert len(twins) > 500
    for review, twin in twins:
        assert twin is not None
        assert bag(twin.text) == bag(review.text)
        assert (twin.label == review.label) == review.mislabelled
        assert twin.swapped is not None
        assert twin.swapped.text == review.text
    assert not any(review.swapped for review in REVIEWS if review.kind in ("plain", "mixed"))


def test_flipped_denials_turn_the_label_and_change_no_other_word():
    twins = [(review, review.flipped) for review in REVIEWS]
    twins = [(review, twin) for review, twin in twins if twin]
    assert len(twins) > 500
    denial = {word for each in DENIALS for word in each.split()}
    same = 0
    for review, twin in twins:
        assert twin is not None
        assert (twin.label == review.label) == review.mislabelled
        assert {w for w in (bag(review.text) - bag(twin.text)) + (bag(twin.text) - bag(review.text))} <= denial
        assert [p.opinion.word for p in twin.phrases] == [p.opinion.word for p in review.phrases]
        same += bag(review.text) == bag(twin.text)
    assert same > 100  # as many denied as not: only the place of the denial turns the label


def test_rates_are_those_asked_for():
    asked = ReviewSettings(contrast=0.3, reported=0.2, mixed=0.1, negation=0.4, made_up=0.1, mislabelled=0.05)
    reviews = generate_reviews(4000, asked)
    for kind, share in (("contrast", 0.3), ("reported", 0.2), ("mixed", 0.1), ("plain", 0.4)):
        assert close(sum(review.kind == kind for review in reviews), share, len(reviews))
    assert close(sum(review.mislabelled for review in reviews), 0.05, len(reviews))
    plain = [p.opinion for review in reviews if review.kind in ("plain", "contrast") for p in review.phrases]
    assert close(sum(bool(opinion.negation) for opinion in plain), 0.4, len(plain))
    assert close(sum(opinion.made_up for opinion in plain), 0.1, len(plain))
    for kind in ("plain", "contrast", "reported", "mixed"):
        labels = [review.label for review in reviews if review.kind == kind]
        assert close(labels.count("pos"), 0.5, len(labels))


def close(count: int, share: float, of: int) -> bool:
    """Within five standard errors."""
    return abs(count - share * of) <= 5 * sqrt(of * share * (1 - share))


def test_a_rate_of_nothing_is_nothing():
    none = ReviewSettings(contrast=0, reported=0, mixed=0, negation=0, made_up=0, mislabelled=0)
    reviews = generate_reviews(300, none)
    assert {review.kind for review in reviews} == {"plain"}
    assert not any(review.negated or review.rare or review.mislabelled or review.flipped for review in reviews)


def test_which_half_decides_cannot_be_told_from_its_words():
    """So nobody who sees only the bag of words does better than guess on contrasts and reports."""
    reviews = [review for review in generate_reviews(6000, seed=3) if review.kind in ("contrast", "reported")]
    heavier = 0
    for review in reviews:
        total = sum(p.opinion.says * p.opinion.weight for p in review.phrases) or 0.5
        heavier += (total > 0) == (review.plan.balance > 0)
    assert close(heavier, 0.5, len(reviews))


def test_made_up_words_are_seldom_seen_and_no_syllable_gives_them_away():
    every = [words.made_up_word(n) for n in range(words.MADE_UP)]
    assert len(set(every)) == len(every)
    real = {word for word in WORD.findall(" ".join(review.text for review in REVIEWS).lower())} - set(every)
    assert not real & set(every)
    for ending in words.ENDINGS:
        praising = [n % 2 for n, word in enumerate(every) if word.endswith(ending)]
        assert 0.4 < sum(praising) / len(praising) < 0.6
    train, test = named_reviews("train"), named_reviews("test")
    seen = Counter(word for review in train for word in review.rare)
    assert max(seen.values()) < 6
    assert any(word not in seen for review in test for word in review.rare)


def test_parts_share_no_review_and_have_their_sizes():
    train, test = ({review.text for review in named_reviews(part)} for part in ("train", "test"))
    assert (len(train), len(test)) == (4000, 1000)
    assert not train & test


def test_the_same_on_every_machine():
    """The hash was taken once; another process with other hashes of strings, too, writes these reviews."""
    code = "from attnlab.data.worlds.reviews.reviews import generate_reviews as g; "
    code += "print(*(r.text + r.label for r in g(200)), sep='\\n')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    here = "".join(f"{review.text}{review.label}\n" for review in generate_reviews(200))
    assert ran.stdout == here
    assert hashlib.sha256(here.encode()).hexdigest()[:16] == "f8ca633142d106d2"


def test_seeds_differ_and_fewer_reviews_are_the_first_of_more():
    assert [r.text for r in generate_reviews(50, seed=1)] == [r.text for r in generate_reviews(80, seed=1)][:50]
    assert generate_reviews(5, seed=1) != generate_reviews(5, seed=2)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"negation": 1.5}, "negation: expected a number from 0 to 1, got 1.5; try 1"),
        ({"mislabelled": -0.1}, "mislabelled: expected a number from 0 to 1, got -0.1; try 0"),
        ({"contrast": 0.6, "mixed": 0.5}, "contrast: expected contrast + reported + mixed to be at most 1, got 1.2"),
    ],
)
def test_rates_that_cannot_be(settings, said):
    with pytest.raises(ArgumentError) as caught:
        ReviewSettings(**settings)
    assert str(caught.value) == said


def test_a_count_that_cannot_be():
    with pytest.raises(ArgumentError, match="count: expected a whole number of at least 0, got -1; try 0"):
        generate_reviews(-1)
