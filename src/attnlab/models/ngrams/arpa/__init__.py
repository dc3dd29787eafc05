r"""ARPA files: back-off models as text, the format of KenLM, SRILM and other n-gram tools.

    \data\
    ngram 1=4
    ngram 2=3

    \1-grams:
    -1.2	<unk>
    -99	<s>	-0.3
    -0.6	</s>
    -0.5	word	-0.2

    \2-grams:
    -0.1	<s> word
    …
    \end\

A line has log₁₀ of the probability, the words, and log₁₀ of the back-off weight unless it is 0. <unk> stands for every
unknown word; a file without it gives unknown words 10⁻¹⁰⁰, as KenLM does. <s> begins a sentence and </s> ends it. The
model has one token for both, the boundary, which is </s> where it is predicted and <s> where it is seen. Other tools do
not read a file without <s> and </s>, so a model without sentences writes both with the probability 10⁻⁹⁹.
"""

from dataclasses import dataclass

from attnlab.models.ngrams.backoff import Backoff

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
NEVER = -99.0
"""log₁₀ of the probability of a word that never comes."""
MISSING = 1e-100
"""The probability of unknown words if a file has no <unk>."""
BLOCK = 1 << 16
"""Lines read or written at a time."""


@dataclass(frozen=True)
class Arpa:
    """The words of an ARPA file, in the order of their ids from 1 on, and its model. Id 0 is the unknown word. The word
    of the model's boundary is </s>."""

    words: tuple[str, ...]
    model: Backoff
