"""Claim 18: one layer of a synthesizer cannot compare tokens.

The task: L tokens are all different, except that the last one repeats an earlier one. The answer is its position p.

    dot product   α = softmax over i < L of (W_q x_L)ᵀ(W_k x_i)           W_q, W_k: d × d
    synthesizer   α = softmax over i < L of (W₂ᵀ relu(W₁ᵀ x_L))_i         W₁: d × h, W₂: h × L

With d = h = L both have 2d² parameters. Both have the same embeddings x (random, fixed), values (position i has the
i-th unit vector) and read-out (the largest entry of c = Σ α_i v_i), and are trained by Adam on −ln c_p. All seeds are
trained side by side, as one more axis of every matrix. Tay et al., "Synthesizer", 2020: the dense variant.
"""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from attnlab.charts import Lines, Series
from attnlab.claims.claim import Family, Finding, Quantity, over_seeds
from attnlab.numbers import percent, whole_percent
from attnlab.statistics import mean_and_half_width
from attnlab.training.optimisers.adamw import AdamW
from attnlab.training.threads import one_thread

FAMILY = Family(
    18,
    "synthesizer",
    "Synthesizer against dot product",
    bench="knowledge",
    question="If attention weights are computed from one token instead of from pairs, can they find the earlier "
    "position of that token?",
)
LENGTH = DIM = 16
TOKENS, SEEDS, BATCH, STEPS, EVERY, FRESH, RATE = 32, 8, 64, 200, 10, 500, 0.005
CHANCE = 1 / (LENGTH - 1)

Weigh = Callable[[Sequence[Tensor], Tensor], Tensor]


def _dot_product(parameters: Sequence[Tensor], x: Tensor) -> Tensor:
    """The logits of all positions but the last, for x of shape (seeds, batch, positions, dim)."""
    Wq, Wk = parameters
    return torch.einsum("sbd,sbld->sbl", x[:, :, -1] @ Wq, x[:, :, :-1] @ Wk[:, None])


def _synthesizer(parameters: Sequence[Tensor], x: Tensor) -> Tensor:
    """The same for a dense synthesizer, which looks at the last token alone."""
    W1, W2 = parameters
    return (torch.relu(x[:, :, -1] @ W1) @ W2)[..., :-1]


def _parameters(generator: torch.Generator) -> list[Tensor]:
    """Two matrices for each seed: W_q and W_k, or W₁ and W₂. They have the same shape, as d = h = L."""
    return [torch.randn(SEEDS, DIM, DIM, generator=generator) / math.sqrt(DIM) for _ in range(2)]


def _examples(generator: torch.Generator, count: int) -> tuple[Tensor, Tensor]:
    """Rows of tokens (seeds, count, positions), and the answers."""
    tokens = torch.rand(SEEDS, count, TOKENS, generator=generator).argsort(-1)[..., :LENGTH]
    answers = torch.randint(LENGTH - 1, (SEEDS, count), generator=generator)
    tokens[..., -1] = tokens.gather(-1, answers[..., None])[..., 0]
    return tokens, answers


def _embed(table: Tensor, tokens: Tensor) -> Tensor:
    return table[torch.arange(SEEDS)[:, None, None], tokens]


def _train(weigh: Weigh, seed: int) -> tuple[Tensor, Tensor]:
    """Accuracy on fresh examples (checks, seeds) as training goes on, and the last loss of each seed."""
    generator = torch.Generator().manual_seed(seed)
    table = torch.randn(SEEDS, TOKENS, DIM, generator=generator)
    parameters = [nn.Parameter(each) for each in _parameters(generator)]
    adam = AdamW([{"params": parameters, "rate": RATE, "weight_decay": 0.0, "betas": (0.9, 0.999), "fused": False}])
    accuracies, losses = [], torch.zeros(SEEDS)
    for step in range(STEPS + 1):
        if step % EVERY == 0:
            tokens, answers = _examples(generator, FRESH)
            with torch.no_grad():
                guesses = weigh(parameters, _embed(table, tokens)).argmax(-1)
            accuracies.append((guesses == answers).double().mean(-1))
        tokens, answers = _examples(generator, BATCH)
        logs = torch.log_softmax(weigh(parameters, _embed(table, tokens)), -1)
        losses = -logs.gather(-1, answers[..., None]).mean((1, 2))
        for each in parameters:
            each.grad = None
        losses.sum().backward()
        adam.step()
    return torch.stack(accuracies), losses.detach()


def _accuracy(values: Tensor) -> tuple[float, float]:
    """The mean accuracy and the half-width of its 95 % interval: at least 3/N, which N examples without a mistake
    cannot rule out (rule of three)."""
    mean, half = mean_and_half_width(values.tolist())
    return mean, max(half, 3 / (SEEDS * FRESH))


def _curve(name: str, accuracies: Tensor) -> Series:
    middles, halves = zip(*(_accuracy(row) for row in accuracies), strict=True)
    low, high = ([m + sign * h for m, h in zip(middles, halves, strict=True)] for sign in (-1, 1))
    steps = tuple(float(EVERY * i) for i in range(len(middles)))
    return Series(name, steps, middles, tuple(max(0.0, x) for x in low), tuple(min(1.0, x) for x in high))


@FAMILY.claim(
    "cannot-compare",
    "A synthesizer cannot compare tokens in one layer: it does not find the earlier position of a token.",
    said_by="D",
)
def _cannot_compare(seed: int) -> Finding:
    with one_thread():
        dot, _ = _train(_dot_product, seed)
        synthesizer, loss = _train(_synthesizer, seed)
    (dot_mean, dot_half), (mean, half) = _accuracy(dot[-1]), _accuracy(synthesizer[-1])
    separated = dot_mean - dot_half > 0.9 and mean + half < CHANCE + 0.05
    steps = (0.0, float(STEPS))
    return Finding(
        "holds" if separated else "fails",
        f"The last of {LENGTH} tokens also stands at one of the {LENGTH - 1} positions before it, and the layer has "
        f"to say at which. Both layers have {2 * DIM * DIM} parameters, the same embeddings, values and read-out, and "
        f"{STEPS} steps of training. On fresh examples dot-product attention finds the position in "
        f"{percent(dot_mean, dot_half)} of the cases, the synthesizer in {percent(mean, half)}, and guessing in "
        f"{percent(CHANCE)} ({SEEDS} seeds, 95 % intervals). The synthesizer "
        "does not just learn more slowly. Its weights do not depend on where else the token stands, and nothing else "
        "could tell: each value only names its position (position i has the i-th unit vector, and the largest entry "
        f"is the answer). Its loss stays near ln {LENGTH - 1} = {math.log(LENGTH - 1):.2f} ({float(loss.mean()):.2f} "
        "at the end), the loss of guessing.",
        (
            Quantity("accuracy, dot product", dot_mean, dot_half, "95 % interval"),
            Quantity("accuracy, synthesizer", mean, half, "95 % interval"),
            Quantity("accuracy of guessing", CHANCE),
            Quantity("parameters of each", 2 * DIM * DIM),
            Quantity("seeds", SEEDS),
            over_seeds("last loss, synthesizer", *mean_and_half_width(loss.tolist())),
        ),
        chart=Lines(
            "Finding the earlier position of a token",
            "steps of training",
            "accuracy on fresh examples",
            (
                _curve("dot product", dot),
                _curve("synthesizer", synthesizer),
                Series("guessing", steps, (CHANCE, CHANCE)),
            ),
            f"The accuracy of dot-product attention rises from the level of guessing to {whole_percent(dot_mean)} "
            f"within {STEPS} steps. That of the synthesizer stays at the level of guessing, {percent(CHANCE)}. The "
            f"bands are 95 % intervals over {SEEDS} seeds.",
        ),
    )


@FAMILY.claim(
    "blind",
    "If the other tokens change, the weights of a synthesizer stay the same; those of dot-product attention change.",
    said_by="the lab",
)
def _blind(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    table, parameters = torch.randn(SEEDS, TOKENS, DIM, generator=generator), _parameters(generator)
    tokens, _ = _examples(generator, 200)
    others, _ = _examples(generator, 200)
    others[..., -1] = tokens[..., -1]
    change = {}
    for name, weigh in (("dot product", _dot_product), ("synthesizer", _synthesizer)):
        before, after = (torch.softmax(weigh(parameters, _embed(table, each)), -1) for each in (tokens, others))
        change[name] = (before - after).abs().amax(-1)
    most, least = float(change["synthesizer"].max()), float(change["dot product"].min())
    return Finding(
        "holds" if most == 0 and least > 1e-6 else "fails",
        f"In {SEEDS * 200:,} rows all tokens but the last were replaced, with the same random parameters before and "
        f"after. No weight of the synthesizer changed (the largest change is {most:g}). In dot-product attention some "
        f"weight changed in every row, by {float(change['dot product'].mean()):.2f} on average. So with any "
        "parameters, one layer of a synthesizer gives the same weights to a row in which the token stands at "
        "position 3 and to a row in which it stands at position 7. A second layer could tell them apart, because by "
        "then the tokens have been mixed.",
        (
            Quantity("largest change of a weight, synthesizer", most, how="observed"),
            Quantity("smallest change of the weights of a row, dot product", least, how="observed"),
            Quantity(
                "mean change of the weights of a row, dot product", float(change["dot product"].mean()), how="observed"
            ),
            Quantity("rows compared", SEEDS * 200),
        ),
    )
