"""Sampling: what may be drawn is drawn as often as it should be, and text comes whole."""

from itertools import islice

import pytest
import torch

from attnlab.errors import ArgumentError
from attnlab.evaluation.sampling import Sampling, draw, sample, stream
from attnlab.evaluation.scoring.predictors import NetworkPredictor, predictor_of
from attnlab.models.bigram import BigramConfig
from attnlab.models.kinds import Model, make_model
from attnlab.models.ngrams.ngram import NGramConfig
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import Transformer, TransformerConfig
from attnlab.text import train_tokenizer
from attnlab.training.language.counting import CountTraining, fit

LOGITS = torch.tensor([0.1, 0.4, 0.2, 0.3]).log()
TEXT = torch.randint(7, (200,), generator=torch.Generator().manual_seed(0)).numpy()


def models() -> dict[str, Model]:
    return {
        "ngram": fit(NGramConfig(order=3), TEXT, 7)[0],
        "bigram": fit(BigramConfig(dim=4, hidden=4), TEXT, 7, CountTraining(steps=5))[0],
        "recurrent": make_model(RecurrentConfig(width=8, context=6), 7),
        "transformer": make_model(TransformerConfig(layers=2, heads=2, width=8, context=6), 7),
    }


def shares(sampling: Sampling, draws: int = 1500) -> list[float]:
    generator = torch.Generator().manual_seed(0)
    counts = torch.zeros(4)
    for _ in range(draws):
        counts[draw(LOGITS, sampling, generator)] += 1
    return (counts / draws).tolist()


@pytest.mark.parametrize(
    ("sampling", "expected"),
    [
        (Sampling(), [0.1, 0.4, 0.2, 0.3]),
        (Sampling(temperature=0), [0, 1, 0, 0]),
        (Sampling(temperature=1e-320), [0, 1, 0, 0]),
        (Sampling(temperature=0.5), [1 / 30, 16 / 30, 4 / 30, 9 / 30]),
        (Sampling(top_k=2), [0, 4 / 7, 0, 3 / 7]),
        (Sampling(top_k=100), [0.1, 0.4, 0.2, 0.3]),
        (Sampling(top_p=0.4), [0, 1, 0, 0]),
        (Sampling(top_p=0.41), [0, 4 / 7, 0, 3 / 7]),
        (Sampling(top_p=1e-9), [0, 1, 0, 0]),
        (Sampling(top_k=3, top_p=0.75), [0, 4 / 7, 0, 3 / 7]),  # of the three's 0.9, two have 0.7
    ],
)
def test_tokens_are_drawn_as_often_as_they_should_be(sampling, expected):
    found = shares(sampling)
    assert found == pytest.approx(expected, abs=0.045)
    assert [share > 0 for share in found] == [share > 0 for share in expected]


@pytest.mark.parametrize("name", models())
def test_a_seed_writes_the_same_and_another_one_something_else(name):
    def written(seed: int) -> list[int]:
        return list(islice(sample(models()[name], [1, 2], Sampling(seed=seed)), 30))

    assert written(1) == written(1) != written(2)
    assert set(written(1)) <= set(range(7))


@pytest.mark.parametrize("name", models())
def test_a_predictor_writes_what_its_model_does(name):
    model = models()[name]
    written, expected = (list(islice(sample(each, [1, 2], Sampling()), 20)) for each in (predictor_of(model), model))
    assert written == expected


def test_a_network_from_elsewhere_sees_no_more_than_its_context():
    lengths = []

    def logits(ids: torch.Tensor, last: int) -> torch.Tensor:
        lengths.append(ids.shape[1])
        return torch.nn.functional.one_hot((ids + 1) % 7, 7).float()[:, -last:]

    network = NetworkPredictor(logits, 3, 7, torch.device("cpu"))
    assert list(islice(sample(network, [5], Sampling(temperature=0)), 5)) == [6, 0, 1, 2, 3]
    assert lengths == [1, 2, 3, 3, 3]


@pytest.mark.parametrize("prompt", [[], [3], [1, 2, 3, 4, 5, 6, 5, 4, 3]])
def test_the_likeliest_tokens_are_those_without_a_cache(prompt):
    model = models()["transformer"]
    assert isinstance(model, Transformer)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(10) if parameter.dim() == 2 else None
    found = list(islice(sample(model, prompt, Sampling(temperature=0)), 20))
    seen, start = list(prompt) or [0], 0
    for token in found:
        if len(seen) - start > 6:  # the context is full: on from its later half
            start = len(seen) - 3
        logits = model(torch.tensor([seen[start:]]))[0, -1]
        assert int(logits.argmax()) == token
        seen.append(token)


@pytest.mark.parametrize("kind", ["characters", "bytes", "words", "byte-pairs"])
@pytest.mark.parametrize("text", ["naïve 😀 café, (the) end… 日本", "a", "it's   over"])
def test_a_stream_is_the_text_and_never_half_a_character(kind, text):
    tokenizer = train_tokenizer(kind, text)
    ids = tokenizer.encode(text).ids.tolist()
    pieces = list(stream(tokenizer, ids))
    assert "".join(pieces) == tokenizer.decode(ids)
    assert not any("�" in piece for piece in pieces)
    for cut in range(1, len(ids)):
        before = tokenizer.decode(ids[:cut])
        if not before.endswith("�"):
            assert before + "".join(stream(tokenizer, ids[cut:], ids[:cut])) == tokenizer.decode(ids)


def test_bytes_that_are_no_character_do_not_wait_for_ever():
    tokenizer = train_tokenizer("bytes", "")
    assert "".join(stream(tokenizer, [0xFF] * 9)) == "�" * 9
    assert list(stream(tokenizer, [0xC3])) == ["�"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"temperature": -1.0}, "temperature: expected a number from 0 to 1,000, got -1.0; try 0"),
        ({"temperature": float("nan")}, "temperature: expected a finite number from 0 to 1,000, got nan"),
        ({"top_k": -1}, "top_k: expected a whole number from 0 to 1,000,000,000, got -1; try 0"),
        ({"top_p": 0.0}, "top_p: expected a number from 1e-09 to 1, got 0.0"),
        ({"seed": -1}, "seed: expected a whole number from 0 to 9,223,372,036,854,775,807, got -1; try 0"),
    ],
)
def test_bad_settings(values, message):
    with pytest.raises(ArgumentError) as refused:
        Sampling(**values)
    assert str(refused.value) == message
