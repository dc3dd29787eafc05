"""The measures of a head, each with its definition: the one place that says what a score means.

A is a head's attention matrix, A_ij the weight that query i gives to key j ≤ i; positions count from 0, T is the number
of tokens. The first row of A is left out everywhere: its one weight is 1 by necessity.
"""

import math
from dataclasses import dataclass
from typing import Literal

UNIFORM = "attention spread evenly over all tokens so far, in the same rows"
RANDOM = "heads with independent normal weights in matrices of the same shapes"


@dataclass(frozen=True)
class HeadMeasure:
    """A measure of a head."""

    key: str
    title: str
    """Its name in a table."""
    about: str
    """What it says, in words."""
    formula: str
    chance: str
    """What chance means for it: the random head whose value is shown beside it."""
    source: str
    seen_on: Literal["text", "repeats", "weights"]
    """text: windows of a text; repeats: random tokens repeated; weights: the model's matrices alone."""
    low: float = 0.0
    high: float = 1.0
    """The possible range. ∞ if it depends on the size of the model or of the window."""
    limit: str = ""
    """The upper end of the range in words, if it depends on a size."""

    @property
    def range(self) -> str:
        """The possible range in words."""
        return f"{self.low:g} to {self.limit or f'{self.high:g}'}".replace("-", "−")


PREVIOUS = HeadMeasure(
    "previous",
    "previous",
    "Attention to the token just before.",
    "mean over i ≥ 1 of A_{i,i−1}",
    UNIFORM,
    "Voita et al. 2019; Olsson et al. 2022",
    "text",
)
SELF = HeadMeasure(
    "self",
    "self",
    "Attention of a token to itself.",
    "mean over i ≥ 1 of A_{i,i}",
    UNIFORM,
    "Clark et al. 2019",
    "text",
)
FIRST = HeadMeasure(
    "first",
    "first",
    "Attention to the first token of the window, whatever it is: a sink. The first row is left out, because a first "
    "token can only attend to itself.",
    "mean over i ≥ 1 of A_{i,0}",
    UNIFORM,
    "Xiao et al. 2023; Gu et al. 2024",
    "text",
)
ENTROPY = HeadMeasure(
    "entropy",
    "entropy",
    "How evenly a head spreads its attention: 0 is one token, 1 is all tokens so far alike. Each row is compared with "
    "the logarithm of its own length; dividing all rows by ln T would make early rows look sharp. Where a mixer leaves "
    "attention unused (a sink term), the rest is scaled to sum to 1.",
    "mean over i ≥ 1 of −Σ_j A_ij ln A_ij / ln(i + 1)",
    UNIFORM,
    "Clark et al. 2019, relative to each row",
    "text",
)
DISTANCE = HeadMeasure(
    "distance",
    "distance",
    "How many tokens a head looks back, on average.",
    "mean over i ≥ 1 of Σ_j A_ij (i − j) / Σ_j A_ij",
    UNIFORM,
    "Vig and Belinkov 2019",
    "text",
    high=math.inf,
    limit="the window's length − 1",
)
LOGIT_RANGE = HeadMeasure(
    "logit_range",
    "logits",
    "How far the logits of one query are apart: the largest minus the smallest. A softmax over a small range is nearly "
    "uniform, whatever the keys are.",
    "mean over i ≥ 1 of max_j ℓ_ij − min_j ℓ_ij, where ℓ = scale · qᵀk",
    "independent normal logits with variance 1, as queries and keys with normal coordinates give",
    "attnlab",
    "text",
    high=math.inf,
    limit="∞",
)
KEY_SPREAD = HeadMeasure(
    "key_spread",
    "key spread",
    "How much the lengths of keys vary. A long key draws attention whatever its direction is. With normalised keys "
    "without a gain, all lengths are alike.",
    "the standard deviation of ‖k‖ over the tokens of a window, divided by its mean",
    "keys with independent normal coordinates (the chi distribution)",
    "attnlab",
    "text",
    high=math.inf,
    limit="∞",
)
INDUCTION = HeadMeasure(
    "induction",
    "induction",
    "Attention to the tokens that came after earlier copies of the current token: what a head must do to continue a "
    "repeated text. Random tokens, none of them blank, are repeated with a period that is drawn anew for each row, so "
    "looking back a fixed number of tokens does not help.",
    "mean over queries i in later copies of Σ_{j: x_j = x_i, j < i} A_{i,j+1}",
    UNIFORM,
    "prefix matching of Olsson et al. 2022, summed for each query",
    "repeats",
)
INDUCTION_CONTROL = HeadMeasure(
    "induction_control",
    "control",
    "The control of the induction score: attention at the same offsets where the tokens do not repeat, because each "
    "later copy is shuffled. A head that looks back by position alone scores alike in both.",
    "as induction, at the same positions, with each later copy in a new random order; queries that meet their own "
    "token at such an offset by chance are left out",
    UNIFORM,
    "attnlab",
    "repeats",
)
INDUCTION_STRIPE = HeadMeasure(
    "induction_stripe",
    "stripe",
    "Another definition of the induction score: only the latest copy counts, and so does one query before the first "
    "repetition.",
    "mean of the diagonal of A with offset 1 − n, where n is the period",
    UNIFORM,
    "the demos of TransformerLens",
    "repeats",
)
DUPLICATE = HeadMeasure(
    "duplicate",
    "duplicate",
    "Attention to earlier copies of the current token, on the same repeated random tokens.",
    "mean over queries i in later copies of Σ_{j: x_j = x_i, j < i} A_ij",
    UNIFORM,
    "duplicate-token heads of Wang et al. 2022, summed for each query",
    "repeats",
)
DUPLICATE_CONTROL = HeadMeasure(
    "duplicate_control",
    "control",
    "The control of the duplicate score: attention at the same offsets where each later copy is shuffled.",
    "as duplicate, at the same positions, with each later copy in a new random order",
    UNIFORM,
    "attnlab",
    "repeats",
)
COPYING_LOGITS = HeadMeasure(
    "copying_logits",
    "copies (logits)",
    "Whether a head that attends to a token makes that token likelier: of all that its direct logits raise among the "
    "random tokens of a row, the share on the attended token.",
    "ℓ = W_U g W_O v_j over the row's tokens, less the mean over the vocabulary; max(ℓ, 0) at x_j divided by its sum; "
    "mean over j. g is the gain of the last norm",
    "a head whose logits do not depend on the token: 1 / the number of tokens compared",
    "after Olsson et al. 2022",
    "repeats",
)
COPYING_EIGENVALUES = HeadMeasure(
    "copying_eigenvalues",
    "copies",
    "Whether a head's output raises the token it attends to, from the weights alone: 1 if all eigenvalues are "
    "positive, −1 if all are negative. The gains of the layer's norm and of the last norm are folded in; biases, "
    "the centring of a layer norm and the layers between are left out.",
    "Σ Re λ / Σ |λ| over the eigenvalues λ of W_E g_1 W_V W_O g_2 W_U, taken from the product of the size of a head",
    f"{RANDOM}, between the model's own W_E and W_U: 0 on average, with the standard deviation shown",
    "Elhage et al. 2021",
    "weights",
    low=-1.0,
)
QK_RANK = HeadMeasure(
    "qk_rank",
    "QK rank",
    "How many directions a head compares. Rotary positions and norms of queries and keys are left out.",
    "exp H(s²/Σs²) of the singular values s of W_Qᵀ W_K, with the gain of the layer's norm folded in",
    RANDOM,
    "Roy and Vetterli 2007, with s² in place of s",
    "weights",
    low=1.0,
    high=math.inf,
    limit="the width of a head",
)
OV_RANK = HeadMeasure(
    "ov_rank",
    "OV rank",
    "How many directions a head moves from the tokens it attends to.",
    "exp H(s²/Σs²) of the singular values s of W_O W_V, with the gain of the layer's norm folded in",
    RANDOM,
    "Roy and Vetterli 2007, with s² in place of s",
    "weights",
    low=1.0,
    high=math.inf,
    limit="the width of a head",
)

MEASURES = {
    each.key: each
    for each in (
        PREVIOUS,
        SELF,
        FIRST,
        DUPLICATE,
        DUPLICATE_CONTROL,
        INDUCTION,
        INDUCTION_CONTROL,
        INDUCTION_STRIPE,
        ENTROPY,
        DISTANCE,
        LOGIT_RANGE,
        KEY_SPREAD,
        COPYING_EIGENVALUES,
        COPYING_LOGITS,
        QK_RANK,
        OV_RANK,
    )
}
"""All measures by key, in the order of tables and of JSON."""

MARGIN = 0.2
"""How far beyond chance a score and the lower end of its interval must be for a name."""
NAMES = {
    "previous": "previous token",
    "self": "self",
    "first": "sink",
    "duplicate": "duplicate token",
    "induction": "induction",
}
"""The name of a head by the measure that earns it."""
