"""Words as tokens: the commonest words, and one token for all others."""

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Integer

from attnlab.errors import ArgumentError
from attnlab.text.case_and_spaces.code import CaseAndSpacesCode
from attnlab.text.case_and_spaces.learning import Beginning, learnt_code
from attnlab.text.cutting import cut_text
from attnlab.text.encoding import Encoding, checked_ids, empty_encoding, id_dtype
from attnlab.text.normalisation import LINE_END, Normalisation

UNKNOWN = "<unk>"
CODE = "surface"
"""The entry of tokenizer.json for the code of case and spaces. The hash that a run keeps of its tokenizer holds it."""
NO_SPACE_BEFORE = frozenset(",.;:!?)]}%…’”»")
NO_SPACE_AFTER = frozenset("([{“«$£€#")


@dataclass(frozen=True)
class WordTokenizer:
    """Each word is a token: id 0 is the unknown word, then comes the vocabulary, the commonest word first.

    A token covers its word and all characters up to the next word; the first token also covers what precedes it.
    Decoding gives readable text, not the raw text: spaces, normalised characters and unknown words are lost.

    >>> tokens = WordTokenizer.train(["The cat sat. The dog sat, too."], 5, Normalisation(lower=True))
    >>> tokens.vocabulary
    ('.', 'sat', 'the', ',')
    >>> encoding = tokens.encode("The  bird sat.")
    >>> encoding.ids.tolist(), encoding.raw_bytes.tolist()
    ([3, 0, 2, 1], [5, 5, 3, 1])
    >>> tokens.decode(encoding.ids)
    'the <unk> sat.'
    """

    vocabulary: tuple[str, ...]
    normalisation: Normalisation
    case_and_spaces: CaseAndSpacesCode | None = field(default=None, repr=False, hash=False)
    """The code of what the words do not tell, learnt from the training text; None if it was not learnt."""
    kind: ClassVar[str] = "words"

    @classmethod
    def train(
        cls, texts: Iterable[str], vocabulary: int | None = None, normalisation: Normalisation | None = None
    ) -> "WordTokenizer":
        """The tokenizer with the commonest words of some texts. `vocabulary` is the most ids, with the unknown word."""
        if vocabulary is not None and vocabulary < 2:
            raise ArgumentError(
                "vocabulary", f"expected at least 2 words, of which one stands for unknown words; got {vocabulary}"
            )
        rule = normalisation or Normalisation()
        counts: Counter[str] = Counter()
        beginning = Beginning()
        for text in beginning.of(texts):
            cut = cut_text(text, rule)
            for word, count in zip(cut.words, np.bincount(cut.numbers).tolist(), strict=True):
                counts[word] += count
        return replace(cls.of_counts(counts, vocabulary, rule), case_and_spaces=learnt_code(beginning.text, rule))

    @classmethod
    def of_counts(cls, counts: Counter[str], vocabulary: int | None, normalisation: Normalisation) -> "WordTokenizer":
        """The tokenizer with the commonest of some counted words."""
        known = {word: count for word, count in counts.items() if word != UNKNOWN}  # WikiText's unknown word
        if not known:
            raise ArgumentError("texts", "expected at least one word, got no words")
        ordered = sorted(sorted(known), key=known.__getitem__, reverse=True)  # ties in alphabetical order
        return cls(tuple(ordered[: vocabulary - 1 if vocabulary else None]), normalisation)

    @property
    def size(self) -> int:
        """The number of ids."""
        return len(self.vocabulary) + 1

    def encode(self, text: str) -> Encoding:
        """The text as tokens."""
        if not text:
            return empty_encoding(self.size)
        cut = cut_text(text, self.normalisation)
        if not cut.words:
            raise ArgumentError("text", f"expected at least one word, got {len(text)} characters and no word")
        ids = np.array([self.ids.get(word, 0) for word in cut.words], id_dtype(self.size))
        raw_bytes = np.diff(cut.ends).astype(np.uint32)[cut.numbers]
        raw_bytes[0] += len(cut.before.encode())
        return Encoding(ids[cut.numbers], raw_bytes)

    def decode(self, ids: Sequence[int] | Integer[np.ndarray, " tokens"]) -> str:
        """The words of the tokens, with spaces as in English, or one between all words if split at whitespace."""
        given = checked_ids(ids, self.size).astype(np.int64)
        words, ends, begins = self._written
        spaced = ~(ends[given] | np.append(True, begins[given[:-1]])[: given.size])
        return "".join(map(words.__getitem__, (given + self.size * spaced).tolist()))

    def cut(self, text: str) -> int:
        """The last place where cutting the text does not change its tokens; 0 if there is no such place.

        It is the beginning of a token after whitespace: no token contains whitespace.
        """
        first = self.normalisation.token.search(text)
        if first is None:
            return 0
        for width in (1 << 12, len(text)):  # usually found near the end
            last = deque(self.normalisation.after_space.finditer(text, max(len(text) - width, 0)), maxlen=1)
            if last and last[0].start() > first.start():
                return last[0].start()
        return 0

    def to_json(self) -> dict[str, Any]:
        """The tokenizer as JSON."""
        rule = asdict(self.normalisation)
        code = {} if self.case_and_spaces is None else {CODE: self.case_and_spaces.to_json()}
        return {"kind": self.kind, "normalisation": rule, "vocabulary": list(self.vocabulary), **code}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "WordTokenizer":
        """The tokenizer from its `to_json`."""
        words = value["vocabulary"]
        if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
            raise ValueError("expected a vocabulary of words")
        if not words or len({UNKNOWN, *words}) != len(words) + 1:
            raise ValueError(f"expected a vocabulary of at least one word, without repetition and without {UNKNOWN}")
        code = CaseAndSpacesCode.from_json(value[CODE]) if CODE in value else None
        return cls(tuple(words), Normalisation.from_json(value["normalisation"]), code)

    @cached_property
    def _written(self) -> tuple[list[str], Bool[np.ndarray, " ids"], Bool[np.ndarray, " ids"]]:
        """The word of each id, then all words again with a space before them; which have no space before them, and
        which none after them."""
        english, words = self.normalisation.split == "words", [UNKNOWN, *self.vocabulary]
        line = np.array([self.normalisation.lines and word == LINE_END for word in words])
        ends = np.array([english and word in NO_SPACE_BEFORE for word in words])
        begins = np.array([english and word in NO_SPACE_AFTER for word in words])
        words = ["\n" if is_line else word for word, is_line in zip(words, line.tolist(), strict=True)]
        return [*words, *(f" {word}" for word in words)], line | ends, line | begins

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id of each word of the vocabulary."""
        return {word: id for id, word in enumerate(self.vocabulary, start=1)}
