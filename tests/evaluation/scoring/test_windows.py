"""Windows: each token once, with the context that the policy promises, whatever goes at once."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.predictors import NetworkPredictor, NGramPredictor, Predictor, predictor_of
from attnlab.evaluation.scoring.windows import stream_nats, token_nats
from attnlab.models.bigram import Bigram, BigramConfig
from attnlab.models.kinds import make_model
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.transformer import TransformerConfig

SIZE = 7


def counting(context: int) -> Predictor:
    """A model whose cost of a token is how many tokens it was predicted from."""

    class Count(NetworkPredictor):
        def nats(self, ids, targets):
            last = targets.shape[1]
            return torch.arange(ids.shape[1] - last + 1, ids.shape[1] + 1).float().expand(len(ids), last)

    return Count(lambda ids, last: ids, context, SIZE, torch.device("cpu"))


def echoing(context: int) -> Predictor:
    """A model whose cost of a token is the token's number, and a little of those before it."""

    class Echo(NetworkPredictor):
        def nats(self, ids, targets):
            whole = torch.cat([ids, targets[:, -1:]], 1).double()
            return (whole + 0.01 * (whole.cumsum(1) - whole))[:, -targets.shape[1] :]

    return Echo(lambda ids, last: ids, context, SIZE, torch.device("cpu"))


@given(st.integers(0, 60), st.integers(1, 12), st.data())
def test_every_token_but_the_first_is_predicted_once_and_sees_what_was_promised(tokens, context, data):
    stride = data.draw(st.integers(1, context))
    found = token_nats(counting(context), np.zeros(tokens, np.uint16), stride=stride)
    assert len(found) == max(tokens - 1, 0)
    assert found[:context].tolist() == list(range(1, min(context, tokens - 1) + 1))
    assert (found[context:] > context - stride).all()
    assert (found <= context).all()


@given(st.integers(0, 60), st.integers(1, 12), st.data())
def test_how_a_text_is_cut_into_chunks_changes_nothing(tokens, context, data):
    stride = data.draw(st.integers(1, context))
    cuts = sorted(data.draw(st.lists(st.integers(0, tokens), max_size=6)))
    ids = np.random.default_rng(tokens).integers(SIZE, size=tokens)
    chunks = np.split(ids, cuts)
    for predictor in (counting(context), echoing(context), predictor_of(NGram.fit(ids, SIZE, context + 1))):
        found = [*stream_nats(predictor, chunks, stride=stride, batch=2)]
        whole = token_nats(predictor, ids, stride=stride)
        np.testing.assert_allclose(np.concatenate([np.empty(0), *found]), whole, rtol=1e-12)


@pytest.mark.parametrize(
    ("stride", "expected"),
    [(4, [1, 2, 3, 4, 1, 2, 3, 4, 3, 4]), (2, [1, 2, 3, 4, 3, 4, 3, 4, 3, 4]), (1, [1, 2, 3, 4, 4, 4, 4, 4, 4, 4])],
)
@pytest.mark.parametrize("batch", [None, 1, 2])
def test_what_a_token_is_predicted_from(stride, expected, batch):
    assert token_nats(counting(4), np.zeros(11, np.uint16), stride=stride, batch=batch).tolist() == expected


def test_full_context_is_what_one_pass_a_token_gives():
    model = make_model(TransformerConfig(layers=1, heads=1, width=8, context=6), SIZE)
    predictor = predictor_of(model)
    ids = np.random.default_rng(0).integers(SIZE, size=25)
    found = token_nats(predictor, ids, stride=1)
    for place in range(1, 25):
        row = torch.from_numpy(ids[max(0, place - 6) : place])[None]
        assert found[place - 1] == pytest.approx(-float(predictor.log_probs(row)[0, -1, ids[place]]), abs=1e-5)


def test_counts_and_pairs_do_not_depend_on_windows():
    ids = np.random.default_rng(1).integers(SIZE, size=30)
    ngram, bigram = NGram.fit(ids, SIZE, 3), Bigram(BigramConfig(dim=3, hidden=4), SIZE)
    for model in (ngram, bigram):
        predictor = predictor_of(model)
        whole = token_nats(predictor, ids)
        assert whole[5:8].tolist() == pytest.approx(
            predictor.nats(torch.from_numpy(ids[None, 3:8]), torch.from_numpy(ids[None, 6:9]))[0].tolist()
        )


def test_counts_with_less_context_are_those_of_shorter_ngrams():
    ids = np.random.default_rng(1).integers(SIZE, size=40)
    predictor = predictor_of(NGram.fit(ids, SIZE, 4))
    assert isinstance(predictor, NGramPredictor)
    for context in (1, 2, 3):
        for stride in range(1, context + 1):
            found = token_nats(predictor, ids, context=context, stride=stride)
            shorter = NGram(SIZE, predictor.model.levels[: context + 1])
            expected = [-np.log(shorter.next(ids[max(0, end - context) : end])[ids[end]]) for end in range(1, 40)]
            np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(("name", "value"), [("context", 0), ("context", 7), ("stride", 0), ("stride", 7)])
def test_a_window_that_cannot_be_is_named(name, value):
    with pytest.raises(ArgumentError, match=f"^{name}: expected 1 to"):
        token_nats(counting(6), np.zeros(5, np.uint16), **{name: value})
