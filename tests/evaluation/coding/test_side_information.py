"""Charges: with what is charged for, the raw text comes back; and no text gets anything for nothing."""

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnlab.errors import ArgumentError
from attnlab.evaluation.coding.side_information import SideInformation, case_and_spaces_code, with_side_information
from attnlab.evaluation.coding.spelling import BETWEEN, END, _letters, spelled_words
from attnlab.evaluation.coding.token_readings import read
from attnlab.text import Encoding, Normalisation, Tokenizer, train_tokenizer
from attnlab.text.case_and_spaces.code import CaseAndSpacesTeller, Pieces, or_raw
from attnlab.text.case_and_spaces.learning import word_pieces
from attnlab.text.case_and_spaces.parts import piece_parts, restore
from attnlab.text.external import ExternalTokenizer
from attnlab.text.library import as_library
from attnlab.text.words import WordTokenizer

ALPHABET = st.sampled_from("aabcB CDé É\n\r\t ﬁßΣς.,!?\"'’-–<>0123\ufeff\u0301\u3000#")
TEXTS = st.text(ALPHABET, max_size=60) | st.text(max_size=30)
RULES = [
    Normalisation(),
    Normalisation(lower=True, numbers=True),
    Normalisation(lower=True, punctuation="drop", form="NFKC"),
    Normalisation(split="whitespace", lower=True, lines=True),
    Normalisation(lines=True, numbers=True, form="NFC"),
]
TRAINED = "the cat sat on a mat. The End of a b c d é 12 , ! <number> <eol>\n"


def charged(tokenizer: Tokenizer, text: str, unknown: int | None = None) -> SideInformation:
    ((_, _, found),) = with_side_information(tokenizer, [text], unknown)
    return found


@pytest.mark.parametrize("rule", RULES, ids=str)
@settings(max_examples=60, deadline=None)
@given(text=TEXTS)
@example(text="\ufeffThe\r\n\r\nCAT  sat, 12 3,000 é é <eol> <number> <unk>\t")
def test_the_raw_text_comes_back_from_the_tokens_the_spelled_words_and_what_is_encoded(rule, text):
    tokenizer = WordTokenizer.train([TRAINED], 16, rule)
    if not rule.token.search(text):
        return
    encoding = tokenizer.encode(text)
    found = charged(tokenizer, text)
    pieces = [*word_pieces(text, rule)]
    words, parts = [word for word, _, _ in pieces], [piece_parts(word, raw) for word, raw, _ in pieces]
    # A reader has a known word from its id, and an unknown one spelled.
    read = [_word(tokenizer, id) if id else word for id, word in zip(encoding.ids.tolist(), words, strict=True)]
    assert "".join(map(restore, read, parts)) == text
    assert not found.untold
    assert (found.spelling[encoding.ids == 0] > 0).all()
    assert (found.spelling[encoding.ids != 0] == 0).all()
    assert (found.case_and_spaces > 0).all()


def _word(tokenizer: WordTokenizer, id: int) -> str:
    word = tokenizer.vocabulary[id - 1]
    return "\n" if word == "<eol>" and tokenizer.normalisation.lines else word


def test_a_spelled_word_costs_what_its_letters_cost_one_after_the_other():
    vocabulary = ("the", "then", "there", "other", "é")
    model = _letters(vocabulary)
    for word in ("thee", "", "Ünter", "the"):
        seen, nats = [*BETWEEN], 0.0
        for byte in (*word.encode(), END):
            chances = model.next(seen)
            assert chances.sum() == pytest.approx(1)
            nats -= math.log(chances[byte])
            seen.append(byte)
        assert spelled_words(["x", word, "y"], vocabulary)[1] == pytest.approx(or_raw(nats, word))


def test_a_word_like_those_known_is_cheaper_than_one_that_is_not():
    vocabulary = WordTokenizer.train(["walk walks walking talk talks talking sing sings singing"]).vocabulary
    like, unlike = spelled_words(["balking", "qzxvjkw"], vocabulary)
    assert like < unlike / 2


@pytest.mark.parametrize("kind", ["bytes", "byte-pairs", "characters"])
def test_tokens_that_give_the_text_back_are_charged_nothing(kind):
    text = "A text, twice: a TEXT\r\n\ufeff  é."
    tokenizer = train_tokenizer(kind, text)
    found = charged(tokenizer, text)
    assert found.spelling.sum() == found.case_and_spaces.sum() == 0
    assert len(found.spelling) == len(tokenizer.encode(text))


def test_an_unknown_character_costs_one_of_all_the_others():
    tokenizer = train_tokenizer("characters", "abc")
    found = charged(tokenizer, "aéb")
    assert found.spelling.tolist() == pytest.approx([0, math.log(0x110000 - 0x800 - 3), 0])


def test_wikitexts_own_unknown_word_is_a_short_one():
    tokenizer = train_tokenizer("words", "the cat sat on the mat", normalisation=Normalisation(split="whitespace"))
    literal, other = (charged(tokenizer, t).spelling.sum() for t in ("<unk>", "@unk@"))
    assert literal < other / 2


def test_more_lost_is_more_charged():
    text = "The Cat sat. The CAT, 12 of them, sat on 13 Mats. "
    kept, lower, all_gone = (
        charged(tokens, text).case_and_spaces.sum()
        for rule in (
            Normalisation(),
            Normalisation(lower=True),
            Normalisation(lower=True, numbers=True, punctuation="drop"),
        )
        for tokens in [train_tokenizer("words", text, normalisation=rule)]
    )
    assert kept < lower < all_gone


@dataclass(frozen=True)
class Lowering:
    """A tokenizer from elsewhere: words in small letters, each with the space after it; [UNK] for one with a digit."""

    kind: ClassVar[str] = "elsewhere"
    lost: int = 0
    size = 5
    names = ("[UNK]", "the", "cat", "##s", "sat")

    def encode(self, text: str) -> Encoding:
        pieces = ["The ", "cat", "S ", "SAT ", "é9 "]
        raw = np.array([len(piece.encode()) for piece in pieces], np.uint32)
        raw[-1] -= self.lost
        return Encoding(np.array([1, 2, 3, 4, 0], np.uint16), raw)

    def decode(self, ids) -> str:
        return " ".join(self.names[id] for id in ids).replace(" ##", "")

    def cut(self, text: str) -> int:
        return len(text)

    def to_json(self) -> dict:
        return {}


def test_a_tokenizer_from_elsewhere_that_loses_something_is_charged_for_it():
    tokenizer, text = Lowering(), "The catS SAT é9 "
    found = charged(tokenizer, text, 0)
    assert not found.untold
    assert (found.spelling > 0).tolist() == [False, False, False, False, True]
    # The case of an unknown word, and what follows it, are encoded as any other's.
    assert (found.case_and_spaces > 0).all()
    assert found.spelling[4] == pytest.approx(spelled_words(["é9"], ("the", "cat", "s", "sat", "<unk>"))[0])


def lowering() -> ExternalTokenizer:
    """Pieces of words in small letters, as BERT has them."""
    library = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    library.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    library.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    library.decoder = tokenizers.decoders.WordPiece()
    trainer = tokenizers.trainers.WordPieceTrainer(vocab_size=60, special_tokens=["[UNK]"], show_progress=False)
    library.train_from_iterator([TRAINED + "ended seated mated ate eat tea one no"], trainer)
    return ExternalTokenizer(library)


LOWERING = lowering()


@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
def test_the_raw_text_comes_back_from_pieces_in_small_letters_and_what_is_encoded(text):
    try:
        encoding = LOWERING.encode(text)
    except ArgumentError:  # no token in it
        return
    if not len(encoding):
        return
    found = charged(LOWERING, text, LOWERING.unknown)
    pieces = read(LOWERING, text, encoding, LOWERING.unknown).pieces
    if pieces is None:
        assert not found.case_and_spaces.any()
        assert _exact(text, encoding)
        return
    read_back = [restore(piece, piece_parts(piece, part)) for piece, part, _ in pieces]
    assert b"".join(each.encode("utf-8", "surrogateescape") for each in read_back).decode() == text
    assert not found.untold
    assert (found.case_and_spaces > 0).all()
    assert ((found.spelling > 0) == (encoding.ids == LOWERING.unknown)).all()


def _exact(text: str, encoding: Encoding) -> bool:
    """Whether the known tokens read as the raw text, and only the unknown ones do not."""
    known = encoding.ids != LOWERING.unknown
    return LOWERING.decode(encoding.ids[known]) == text or not known.all()


def test_where_a_word_goes_on_no_space_is_expected():
    text = "the seated cat ended the mat, a cat on a mated end. " * 20
    encoding = LOWERING.encode(text)
    pieces = read(LOWERING, text, encoding).pieces
    assert pieces
    assert {"joined", "apart"} == {sort for _, _, sort in pieces}
    assert "##" not in "".join(seen for seen, _, _ in pieces)
    code = case_and_spaces_code(LOWERING)
    apart = CaseAndSpacesTeller(code).add(Pieces.of([(seen, raw, "apart") for seen, raw, _ in pieces]))
    assert CaseAndSpacesTeller(code).add(pieces).sum() < apart.sum()


def test_what_cannot_be_charged_is_said():
    tokenizer, text = Lowering(lost=2), "The catS SAT é9 "
    found = charged(tokenizer, text)
    assert found.untold == "its tokens cover 15 of the text's 17 bytes, so the text cannot be restored"
    assert found.spelling.sum() == found.case_and_spaces.sum() == 0


def test_the_price_of_a_piece_does_not_depend_on_the_length_of_the_text():
    text = "The cat, 12 of them, sat on THE mat. (European) cats sat; 1642 cats. "
    for tokenizer in (WordTokenizer.train([TRAINED * 9], 16, RULES[1]), LOWERING):
        one, many = (charged(tokenizer, text * n).case_and_spaces for n in (2, 40))
        second, last = (each.reshape(n, -1)[-2].sum() for n, each in ((2, one), (40, many)))
        assert second == pytest.approx(last, rel=0.05)  # the first piece opens the text


@pytest.mark.parametrize("rule", RULES, ids=str)
@settings(max_examples=30, deadline=None)
@given(text=TEXTS, places=st.lists(st.integers(0, 60), max_size=4))
@example(text="The End, the end. A cat\n\nsat on THE mat; b C d  e\n f" * 3, places=[20, 50])
def test_a_text_is_charged_the_same_wherever_it_was_cut(rule, text, places):
    tokenizer = WordTokenizer.train([TRAINED], 16, rule)
    if not rule.token.search(text):
        return
    cuts = sorted({0, len(text), *(tokenizer.cut(text[:place]) for place in places)})
    parts = [text[start:stop] for start, stop in pairwise(cuts)]
    whole = charged(tokenizer, text)
    cut = [each for _, _, each in with_side_information(tokenizer, parts)]
    assert np.concatenate([each.spelling for each in cut]).tolist() == whole.spelling.tolist()
    assert np.concatenate([each.case_and_spaces for each in cut]).tolist() == whole.case_and_spaces.tolist()


SAME = {
    "characters": train_tokenizer("characters", TRAINED),
    "bytes": train_tokenizer("bytes", TRAINED),
    "byte-pairs": train_tokenizer("byte-pairs", TRAINED, vocabulary=280),
    "words": WordTokenizer.train([TRAINED], 12),
    "signs dropped": WordTokenizer.train([TRAINED], 12, Normalisation(punctuation="drop")),
    "lines": WordTokenizer.train([TRAINED], 20, Normalisation(lines=True)),
    "lines at whitespace": WordTokenizer.train([TRAINED * 2], 20, Normalisation(split="whitespace", lines=True)),
}


@pytest.mark.parametrize("learnt", [True, False])
@pytest.mark.parametrize("name", SAME)
@settings(max_examples=30, deadline=None)
@given(text=TEXTS)
@example(text="the cat sat")
@example(text=" The naïve cat, sat\n on Q12 <unk> mats.\n\n <eol> é, a “b”")
def test_a_tokenizer_is_charged_the_same_when_it_comes_back_from_elsewhere(name, learnt, text):
    ours = SAME[name]
    code = ours.case_and_spaces if isinstance(ours, WordTokenizer) and learnt else None
    ours = replace(ours, case_and_spaces=code) if isinstance(ours, WordTokenizer) else ours
    if not text or (isinstance(ours, WordTokenizer) and not ours.normalisation.token.search(text)):
        return
    theirs = ExternalTokenizer(as_library(ours), code if isinstance(ours, WordTokenizer) else None)
    one, other = ours.encode(text), theirs.encode(text)
    assert one.ids.tolist() == other.ids.tolist()
    found, again = charged(ours, text), charged(theirs, text, theirs.unknown)
    assert again.spelling.tolist() == pytest.approx(found.spelling.tolist())
    assert again.case_and_spaces.tolist() == pytest.approx(found.case_and_spaces.tolist())
