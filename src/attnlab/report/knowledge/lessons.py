"""How pretraining and finetuning runs are shown: the model's size, how much it learnt, and the next command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnlab.evaluation.settings import PRECISION, PRECISIONS
from attnlab.numbers import percent_as_typed
from attnlab.report.blocks import Drawing, Presentation
from attnlab.report.knowledge.phrases import kept_out_words, people_words, share_words

if TYPE_CHECKING:
    from attnlab.benches.knowledge import Finetuned, Pretrained


def pretrained(found: Pretrained) -> Presentation:
    """How much a pretrained model has memorised."""
    asked = f"{_memorised(found)} to train on: the model completes their own line"
    after = f"the run is in {found.path}; next: attnlab knowledge finetune {found.path}"
    return _shown(found, f"memorised  {asked}", after)


def finetuned(found: Finetuned) -> Presentation:
    """How often a finetuned model is right about people who were kept out of finetuning."""
    lines = []
    if found.memorised is not None:
        lines.append(f"memorised still     {_memorised(found)} kept out: the model completes their own line")
    right = found.kept_out
    lines.append(f"answered correctly  {share_words(right)} of {kept_out_words(right.examples, found.people)}")
    lines += _first_question(found)
    return _shown(found, *lines, f"whom you can ask about: attnlab knowledge people {found.path}")


def _first_question(found: Finetuned) -> list[str]:
    """The command that asks the example question, at a precision at which the model answers it."""
    ask = f'ask it: attnlab knowledge ask {found.path} "{found.example}"'
    if found.reached == PRECISION:
        return [f"the run is in {found.path}; {ask}"]
    missed = f"no threshold reaches {percent_as_typed(PRECISION)} precision"
    if found.reached is None:
        least = percent_as_typed(PRECISIONS[0])
        return [f"{missed}, nor {least}, so it answers no question: more steps may help", f"the run is in {found.path}"]
    return [
        f"{missed}, so it answers no question at the default precision",
        f"the run is in {found.path}; {ask} --precision {found.reached}",
    ]


def _memorised(found: Pretrained | Finetuned) -> str:
    memorised = found.memorised
    assert memorised is not None
    return f"{share_words(memorised)} of {people_words(memorised.examples, found.people)}"


def _shown(found: Pretrained | Finetuned, *lines: str) -> Presentation:
    value = found.result
    steps = f"{value['parameters']:,} parameters, {value['steps']:,} steps in {value['seconds']:.1f} seconds"
    head = f"{steps}, loss {value['loss']:.4f} at the end"
    row = {name: value[name] for name in ("run", "stage", "parameters", "steps", "seconds", "loss")}
    for name, share in (("memorised", found.memorised), ("kept_out", getattr(found, "kept_out", None))):
        row |= {name: share.value} if share is not None else {}
    return Presentation([head, *lines], lambda: _curve(found), rows=[row])


def _curve(found: Pretrained | Finetuned) -> Drawing:
    from attnlab.report.language.curves import draw_curves

    return draw_curves({found.path.name: found.metrics()})
