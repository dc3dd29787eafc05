"""Asks a model: the likeliest answers with their probabilities, and the line that it recites before answering."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn.utils.rnn import pad_sequence

from attnlab.data.facts.facts import MARK, Fact
from attnlab.evaluation.knowledge.answers import ModelAnswer
from attnlab.evaluation.knowledge.decoding import Written, beams, greedy
from attnlab.models.transformer import Transformer
from attnlab.text import Tokenizer

BEAMS = 6
"""The width of the beam search."""
LONGEST = 40
"""The most tokens of an answer."""
UNSAID = (("", 0.0),)
"""The answers if no answer was finished: a text that was cut off is no answer."""
AT_ONCE = 64
"""Lines per batch."""


@dataclass(frozen=True)
class Reply:
    """A model's reply to a question."""

    recital: str
    """The line about the person that it recites before it answers; empty if it does not recite."""
    answers: tuple[tuple[str, float], ...]
    """The likeliest answers with their probabilities (times that of the recital), likeliest first. An empty text of
    probability 0 if the recital or every answer was cut off, or if the question was too long."""


@dataclass(frozen=True)
class Knower:
    """A model that answers questions."""

    model: Transformer
    tokenizer: Tokenizer
    recites: bool
    """Whether it recites the person's line first."""
    longest: int | None = None
    """The longest question in tokens; by default there must be room for an answer."""

    def fits(self, question: str) -> bool:
        """Whether a question is short enough to be answered."""
        context = self.model.config.context
        return len(self._encoded(question)) <= (context - 2 if self.longest is None else min(self.longest, context - 2))

    def ask(self, questions: Sequence[str]) -> list[Reply]:
        """A reply to each question; questions that are too long get an empty reply."""
        asked = [number for number, question in enumerate(questions) if self.fits(question)]
        prompts = [self._encoded(f"{questions[number]}{MARK}") for number in asked]
        room = self.model.config.context
        recitals = greedy(self.model, prompts, self._mark, room) if self.recites else [([], 0.0)] * len(prompts)
        replies = dict(zip(asked, self._replies(prompts, recitals), strict=True))
        return [replies.get(number, Reply("", UNSAID)) for number in range(len(questions))]

    def answers(self, facts: Sequence[Fact]) -> list[ModelAnswer]:
        """The model's answers to questions whose true answer is known."""
        replies = self.ask([fact.question for fact in facts])
        return [
            ModelAnswer(fact.name, fact.question, fact.answer, *reply.answers[0], reply.answers[1:])
            for fact, reply in zip(facts, replies, strict=True)
        ]

    @torch.inference_mode()
    def completes(self, beginnings: Sequence[str], ends: Sequence[str]) -> list[bool]:
        """Whether the model's greedy continuation of each beginning is the end."""
        found = []
        device = next(self.model.parameters()).device
        for first in range(0, len(beginnings), AT_ONCE):
            both = zip(beginnings[first : first + AT_ONCE], ends[first : first + AT_ONCE], strict=True)
            cut = [(self._encoded(before), self._encoded(end)) for before, end in both]
            rows = [torch.tensor([*before, *end][: self.model.config.context]) for before, end in cut]
            likeliest = self.model(pad_sequence(rows, batch_first=True).to(device)).argmax(-1).tolist()
            for (before, end), row in zip(cut, likeliest, strict=True):
                found.append(row[len(before) - 1 : len(before) - 1 + len(end)] == end)
        return found

    def _replies(self, prompts: Sequence[Sequence[int]], recitals: Sequence[Written]) -> list[Reply]:
        """The answers after each prompt and recital; the recital must be finished and leave room."""
        whole = [[*prompt, *recital] for prompt, (recital, _) in zip(prompts, recitals, strict=True)]
        room = self.model.config.context
        cut = [bool(recital) and recital[-1] != self._mark for recital, _ in recitals]
        ended = [number for number, tokens in enumerate(whole) if len(tokens) < room and not cut[number]]
        written = beams(self.model, [whole[number] for number in ended], self._mark, LONGEST, BEAMS)
        found = dict(zip(ended, written, strict=True))
        return [
            Reply(
                self._text(recital), self._likeliest([(tokens, nats + more) for tokens, more in found.get(number, [])])
            )
            for number, (recital, nats) in enumerate(recitals)
        ]

    def _likeliest(self, written: Sequence[Written]) -> tuple[tuple[str, float], ...]:
        """The distinct texts with their probabilities; never empty."""
        found: dict[str, float] = {}
        for tokens, nats in written:
            text = self._text(tokens).strip()
            found[text] = found.get(text, 0.0) + math.exp(nats)
        return tuple(sorted(found.items(), key=lambda item: -item[1])) or UNSAID

    @property
    def _mark(self) -> int:
        return self._encoded(MARK)[0]

    def _encoded(self, text: str) -> list[int]:
        return [int(each) for each in self.tokenizer.encode(text).ids]

    def _text(self, tokens: Sequence[int]) -> str:
        return self.tokenizer.decode(list(tokens)).removesuffix(MARK)
