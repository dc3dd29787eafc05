"""Writing with probabilities, and two models on one text."""

import math

import pytest
import torch

from attnlab.benches.language import LanguageModel
from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.subjects import subject_of
from attnlab.models.kinds import make_model
from attnlab.models.transformer import TransformerConfig
from attnlab.text import train_tokenizer

SHAPE = TransformerConfig(layers=1, heads=2, width=8, context=32)


def model(tokens: str = "characters", seed: int = 0) -> LanguageModel:
    tokenizer = train_tokenizer(tokens, "to be or not to be, né")
    return LanguageModel("small", subject_of("small", make_model(SHAPE, tokenizer.size, seed=seed), tokenizer))


def test_draws_are_the_text_of_sample_with_the_probabilities_of_score():
    small = model()
    found = list(small.draws("to be", 12, temperature=1.5, seed=3))
    written = small.sample("to be", 12, temperature=1.5, seed=3).text
    assert "".join(each.text for each in found) == written
    scored = small.score(f"to be{written}").tokens[5:]
    for one, other in zip(found, scored, strict=True):
        assert one.probability == pytest.approx(other.probability, rel=1e-4)
        assert [text for text, _ in one.likeliest] == [text for text, _ in other.likeliest]


def test_tokens_that_share_a_character_are_one_piece():
    small = model("bytes")
    network = small.subject.predictor.module
    assert isinstance(network, torch.nn.Module)
    with torch.no_grad():
        for each in network.parameters():
            each.zero_()  # every byte is equally likely
    found = list(small.draws("n", 40, temperature=1.0, seed=1))
    assert sum(-math.log2(each.probability) for each in found) == pytest.approx(8 * 40)
    assert any(each.probability < 2**-9 for each in found)


def test_a_length_of_zero_is_an_error_at_once():
    with pytest.raises(ArgumentError, match=r"^length: expected a whole number from 1 to 1,000,000,000, got 0; try 1$"):
        model().draws("to", 0)


def test_two_models_on_one_text_have_cells_that_add_up():
    one, other = (each.score("to be or not") for each in (model(), model("bytes", 1)))
    cells = one.beside(other)
    assert "".join(each.text for each in cells) == "to be or not"
    for place, score in enumerate((one, other)):
        total = sum(each.bits[place] + each.charged[place] for each in cells)
        assert total == pytest.approx(score.bits_per_byte * 12)
    with pytest.raises(ArgumentError, match="expected the score of the same text"):
        one.beside(model().score("to be"))
