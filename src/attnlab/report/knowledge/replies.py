"""How a model's replies to questions are shown, and the people whom it can be asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnlab.report.blocks import Block, Drawing, Presentation, borderless
from attnlab.report.knowledge.phrases import threshold_words
from attnlab.report.writing.lines import on_one_line

if TYPE_CHECKING:
    from attnlab.benches.knowledge import KnownPeople, QuestionReply, Replies

NOT_KNOWN = "I do not know"
NO_TRUTH = "–"
STRANGERS = 5
"""How many strangers are named."""


def replies(found: Replies) -> Presentation:
    """The answer to each question, or that the model does not know it."""
    blocks = [line for each in found.replies for line in _lines(each, alone=len(found.replies) == 1)]
    asked = [each for each in found.replies if each.likeliest is not None]
    threshold = found.choice.threshold
    if threshold.probability is None:
        instead = f"; try --precision {found.reached}" if found.reached else ""
        blocks.append(f"{threshold_words(threshold)}, so no question is answered{instead}")
    elif asked:
        blocks.append(f"it answers {threshold_words(threshold)}")
    rows = [each.to_dict() | {"runners_up": "; ".join(text for text, _ in each.runners_up)} for each in found.replies]
    return Presentation(blocks, (lambda: _drawing(found)) if asked else None, rows=rows)


def people(found: KnownPeople) -> Presentation:
    """Everybody whom the model can be asked about, with the true answers and, if it was asked, its own."""
    told = {each.question: each for each in found.replies}
    rows = [
        (each.name, question, answer, *_told(told.get(question)), each.part)
        for each in found.people
        for question, answer in each.questions or (("", ""),)
    ]
    asked = found.replies[sum(len(each.questions) for each in found.people) :]
    rows += [
        (name, reply.question, NO_TRUTH, *_told(reply), "stranger")
        for name, reply in zip(found.strangers, asked, strict=False)
    ]
    if not told:
        rows = [(*row[:3], row[-1]) for row in rows]
    names = ("name", "question", "true answer", *(("its answer", "recited") if told else ()), "used for")
    blocks: list[Block] = [
        borderless(names, rows, words=len(names)),
        "trained on: the answer was taught; kept out: used to pick the threshold; held out: asked by evaluate only",
    ]
    if told:
        blocks.append("an answer in brackets is the likeliest one where the model says that it does not know")
    if found.strangers:
        named = ", ".join(map(on_one_line, found.strangers[:STRANGERS]))
        blocks.append(f"strangers, whom no line mentions, such as {named}: any answer about them is made up")
    keys = ("name", "question", "answer", *(("reply", "recital") if told else ()), "part")
    return Presentation(blocks, rows=[dict(zip(keys, row, strict=True)) for row in rows])


def _told(reply: QuestionReply | None) -> tuple[str, str]:
    """What the model answered, and what it recited before."""
    if reply is None or reply.likeliest is None:
        return "", reply.recital if reply else ""
    said = _answer(reply.likeliest, reply.probability)
    return said if reply.answer is not None else f"[{said}]", reply.recital


def _lines(reply: QuestionReply, *, alone: bool) -> list[str]:
    said = [] if alone else [on_one_line(reply.question)]
    if reply.likeliest is None:
        return [*said, f"{NOT_KNOWN}: {reply.note}"]
    sure = _answer(reply.likeliest, reply.probability)
    others = ", ".join(_answer(*each) for each in reply.runners_up)
    said.append(sure if reply.answer is not None else f"{NOT_KNOWN}; the likeliest would be {sure}")
    said += [f"  then: {others}"] if others else []
    said += [f"  from memory: {on_one_line(reply.recital)}"] if reply.recital else []
    said += [f"  note: {reply.note}"] if reply.note else []
    return said


def _answer(text: str, probability: float | None) -> str:
    return f"{on_one_line(text) or '(nothing)'} ({probability:.3f})"


def _drawing(found: Replies) -> Drawing:
    from attnlab.report.knowledge.charts import draw_answers

    asked = [each for each in found.replies if each.likeliest is not None]
    words = []
    for each in asked:
        answers = [(each.likeliest or "", each.probability), *each.runners_up]
        words.append(f"{on_one_line(each.question)} {', '.join(_answer(*one) for one in answers)}.")
    chart = draw_answers(asked, found.choice.threshold.probability)
    title = f"What {found.run} answers" if len(asked) > 1 else on_one_line(asked[0].question)
    return Drawing(chart, title, " ".join(words))
