"""One model measured as was asked, with its full context, and with a shorter one: the rungs from a model to another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.costs import Costs, Policy, costs, text_nats
from attnlab.evaluation.scoring.subjects import Subject

SHARE = 0.25
"""The share of the context that strided windows move on by: each token then sees at least three quarters of it."""


@dataclass(frozen=True)
class ContextLadder:
    """What measures one model on one text, under one policy once."""

    subject: Subject
    text: str
    policy: Policy
    share: float = SHARE
    advance: Callable[[int], None] = lambda tokens: None

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ArgumentError("share", f"expected more than 0 and at most 1, got {self.share}")

    @property
    def context(self) -> int:
        """How many tokens the model may see."""
        return self.subject.predictor.context if self.policy.context is None else self.policy.context

    @property
    def stride(self) -> int:
        """How far the windows that were asked for move on."""
        return self.context if self.policy.stride is None else self.policy.stride

    def asked(self) -> Costs:
        """The costs under the policy that was asked for."""
        return costs(self.subject, self.text, Policy(self.context, self.stride), self.advance)

    def full(self, asked: Costs) -> Costs:
        """The costs where every token has nearly the full context before it; those asked for where they are that."""
        stride = _stride(self.context, self.share)
        return self._again(asked, self.context, stride) if self._hurries() else asked

    def shortened(self, full: Costs, context: int) -> Costs:
        """The full costs, but with less context."""
        if context >= self.context:
            return full
        return self._again(full, context, _stride(context, self.share))

    def times(self, context: int) -> int:
        """How often each token is measured for all three, the last with so much context."""
        return 1 + self._hurries() + (context < self.context)

    def _hurries(self) -> bool:
        """Whether the windows asked for move on too far for full context."""
        return self.stride > _stride(self.context, self.share)

    def _again(self, found: Costs, context: int, stride: int) -> Costs:
        """The costs under another policy; those beside the tokens stay as they are."""
        return replace(found, nats=text_nats(self.subject, found.encoding, Policy(context, stride), self.advance))


def equal_contexts(rulers: Sequence[ContextLadder], tokens: Sequence[int]) -> list[int]:
    """The tokens that each model may see so that neither sees more of the text: its own number for one of them."""
    reach = min(each.context / count for each, count in zip(rulers, tokens, strict=True))
    near = (max(1, round(reach * count)) for count in tokens)
    return [min(ruler.context, most) for ruler, most in zip(rulers, near, strict=True)]


def _stride(context: int, share: float) -> int:
    return max(1, int(context * share))
