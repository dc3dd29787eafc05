"""Tokenizers from elsewhere: every byte of a text once, whatever their parts do to it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers
from tokenizers import Tokenizer as Library

from attnlab.errors import ArgumentError
from attnlab.text import Tokenizer
from attnlab.text.external import ExternalTokenizer, covered_bytes

TEXT = "The naïve cat sat on the mat, 3 times. 😀 é e\u0301 ﬁ ＡＢ İ\r\n\tToo!<|endoftext|> end\n"
ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())


def trained(model, trainer, special=("<|endoftext|>",), **parts) -> ExternalTokenizer:
    library = Library(model)
    for name, part in parts.items():
        setattr(library, name, part)
    library.train_from_iterator([TEXT] * 5, trainer)
    library.add_special_tokens([*special])
    return ExternalTokenizer(library)


def byte_pairs(**parts) -> ExternalTokenizer:
    parts = {"pre_tokenizer": pre_tokenizers.ByteLevel(add_prefix_space=False)} | parts
    trainer = trainers.BpeTrainer(vocab_size=330, initial_alphabet=ALPHABET, show_progress=False)
    return trained(models.BPE(), trainer, decoder=decoders.ByteLevel(), **parts)


def with_fallback() -> ExternalTokenizer:
    """Letters, and bytes for all else, after a mark for the beginning, as Llama has them."""
    names = ["<unk>", "<s>", "▁", *"abcdefgh", *(f"<0x{byte:02X}>" for byte in range(256))]
    vocabulary = {name: id for id, name in enumerate(names)}
    library = Library(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>", byte_fallback=True))
    library.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])  # pyright: ignore[reportAttributeAccessIssue]
    library.post_processor = processors.TemplateProcessing("<s> $A", "<s> $A $B", [("<s>", 1)])  # pyright: ignore[reportAttributeAccessIssue]
    return ExternalTokenizer(library)


def pieces(**parts) -> ExternalTokenizer:
    trainer = trainers.WordPieceTrainer(vocab_size=90, special_tokens=["[UNK]"], show_progress=False)
    return trained(models.WordPiece(unk_token="[UNK]"), trainer, **parts)


def unigram() -> ExternalTokenizer:
    trainer = trainers.UnigramTrainer(vocab_size=60, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False)
    return trained(models.Unigram(), trainer, normalizer=normalizers.NFKC(), pre_tokenizer=pre_tokenizers.Metaspace())


TOKENIZERS = {
    "as GPT-2": byte_pairs(),
    "a space before": byte_pairs(pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=True)),
    "trimmed": byte_pairs(post_processor=processors.ByteLevel(trim_offsets=True)),
    "composed": byte_pairs(normalizer=normalizers.NFC()),
    "cut elsewhere": byte_pairs(
        pre_tokenizer=pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(r"\p{N}|\s+|[^\s\p{N}]+"), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
    ),
    "bytes for the rest": with_fallback(),
    "as BERT": pieces(normalizer=normalizers.BertNormalizer(), pre_tokenizer=pre_tokenizers.BertPreTokenizer()),
    "unigram": unigram(),
}
EXACT = ("as GPT-2", "trimmed", "cut elsewhere")
"""Those whose tokens are bytes of the raw text as it is."""
TEXTS = st.lists(st.one_of(st.text(max_size=6), st.sampled_from([*TEXT.split(" "), " ", "<|endoftext|>"]))).map("".join)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_byte_is_counted_once_and_no_special_token_is_put_in(name):
    tokenizer = TOKENIZERS[name]
    assert isinstance(tokenizer, Tokenizer)

    @settings(deadline=None, max_examples=120)
    @given(TEXTS)
    def once(text: str) -> None:
        ids = tokenizer.library.encode(text, add_special_tokens=False).ids
        if text and not ids:  # nothing is left once it is normalised
            with pytest.raises(ArgumentError, match="expected at least one token"):
                tokenizer.encode(text)
            return
        encoding = tokenizer.encode(text)
        assert encoding.raw_bytes.sum() == len(text.encode())
        assert encoding.ids.tolist() == ids
        assert all(encoding.ids < tokenizer.size)

    once()


@pytest.mark.parametrize("name", EXACT)
def test_bytes_are_those_of_the_token_itself_also_inside_a_character(name):
    tokenizer = TOKENIZERS[name]

    @settings(deadline=None, max_examples=120)
    @given(TEXTS)
    def exact(text: str) -> None:
        encoding = tokenizer.encode(text)
        ends = np.cumsum(encoding.raw_bytes)
        for token, end, length in zip(encoding.ids.tolist(), ends.tolist(), encoding.raw_bytes.tolist(), strict=True):
            raw = text.encode()[end - length : end]
            assert tokenizer.decode([token]) == raw.decode("utf-8", errors="replace")

    exact()
    assert tokenizer.encode("€").raw_bytes.tolist() == [1, 1, 1]  # which the text it was trained on does not have


def test_parts_of_a_character_share_its_bytes():
    tokenizer = TOKENIZERS["bytes for the rest"]
    assert tokenizer.encode("a é").raw_bytes.tolist() == [0, 1, 1, 1, 1]  # ▁ a ▁ and two bytes
    assert tokenizer.encode("éa").raw_bytes.tolist() == [0, 1, 1, 1]
    assert covered_bytes("😀", np.array([[0, 1]] * 4)).tolist() == [1, 1, 1, 1]
    assert covered_bytes("é", np.array([[0, 1]] * 3)).tolist() == [0, 1, 1]
    assert covered_bytes(" é ", np.array([[1, 1], [1, 2], [2, 2]])).tolist() == [0, 4, 0]
    assert covered_bytes("ab", np.array([[0, 0], [0, 0]])).tolist() == [2, 0]


def test_a_token_that_covers_no_character_covers_no_byte():
    encoding = TOKENIZERS["as GPT-2"].encode("a<|endoftext|>b")
    assert encoding.raw_bytes.tolist() == [1, len("<|endoftext|>"), 1]


@given(TEXTS, TEXTS)
@settings(deadline=None)
def test_a_text_is_cut_only_where_that_changes_nothing(before, after):
    plain = ExternalTokenizer(
        Library.from_str(TOKENIZERS["as GPT-2"].library.to_str().replace("<|endoftext|>", "ĠĠĠĠĠ"))
    )
    for tokenizer in (plain, *TOKENIZERS.values()):
        place = tokenizer.cut(before)
        if place:
            whole = tokenizer.encode(before + after).ids.tolist()
            parts = [tokenizer.encode(part).ids.tolist() for part in (before[:place], before[place:] + after)]
            assert whole == parts[0] + parts[1]


def test_truncation_and_padding_of_the_file_do_not_count():
    library = Library.from_str(TOKENIZERS["as GPT-2"].library.to_str())
    library.enable_truncation(3)
    library.enable_padding(length=50)
    assert ExternalTokenizer(library).encode(TEXT).ids.tolist() == TOKENIZERS["as GPT-2"].encode(TEXT).ids.tolist()


def test_words_without_a_token_for_unknown_ones_are_told():
    library = Library(models.WordLevel({"a": 0}, unk_token="<unk>"))
    with pytest.raises(ArgumentError, match="tokenizer: fails on this text: "):
        ExternalTokenizer(library).encode("b")
