"""Finetuned models from Python: asked, evaluated, and the people of their world."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from attnlab.benches.knowledge import EvaluationSettings, ask, evaluate, open_known
from attnlab.benches.knowledge.answers import strangers_to_report
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.knowledge.answers import ModelAnswer
from attnlab.evaluation.knowledge.asking import UNSAID, Reply

pytestmark = pytest.mark.usefixtures("as_installed")


@pytest.fixture(autouse=True)
def _there(golden, monkeypatch):
    monkeypatch.chdir(golden)


@dataclass(frozen=True)
class Saying:
    """In place of a model: it answers Oslo to every question, with the probability that stands there."""

    sure: dict[str, float]

    def fits(self, question: str) -> bool:
        return True

    def ask(self, questions: Sequence[str]) -> list[Reply]:
        return [
            Reply("He was.", (("Oslo", self.sure[each]),)) if each in self.sure else Reply("He", UNSAID)
            for each in questions
        ]


def kept(probability: float, right: bool, stranger: bool = False) -> ModelAnswer:
    truth = "" if stranger else "Oslo" if right else "Rome"
    return ModelAnswer(f"A {probability} {right} {stranger}", "?", truth, "Oslo", probability)


def test_an_answer_is_given_exactly_where_the_probability_reaches_the_threshold():
    # Probabilities that mean what they say, so that the temperature is about 1: the threshold lies at 0.75.
    apart = [kept(0.75, True), kept(0.75, True), kept(0.75, True), kept(0.75, False), kept(0.5, False)]
    questions = [f"Where was {name} born?" for name in ("Ada", "Bo", "Cy", "Di")]
    sure = dict(zip(questions, (0.75, 0.74, 0.76, 0.01), strict=True))
    model = replace(open_known("people-known"), knower=Saying(sure), kept_out=tuple(apart))
    found = model.ask(*questions, "Where was Ed born?", precision=0.75)
    threshold = found.choice.threshold.probability
    assert threshold is not None
    assert [each.answer for each in found.replies] == ["Oslo", None, "Oslo", None, None]
    for reply in found.replies[:4]:
        assert reply.likeliest == "Oslo"
        assert (reply.answer is not None) == (reply.probability is not None and reply.probability >= threshold)
    assert found.replies[-1].note == "its answer does not end"
    assert found.replies[-1].likeliest is None
    none = model.ask(*questions, precision=0.99)
    assert none.choice.threshold.probability is None
    assert [each.answer for each in none.replies] == [None] * 4


def test_replies_are_what_the_command_prints(again):
    found = ask("people-known", ["Where was Rosa Halohart born?", "Who is it?"], precision=0.5)
    assert again(found) == found.to_dict()
    assert [each.question for each in found.replies] == ["Where was Rosa Halohart born?", "Who is it?"]
    assert found.replies[1].note == "the model was taught questions such as Where was … born?"


def test_an_evaluation_is_what_the_command_prints(again, watcher):
    found = evaluate("people-known", EvaluationSettings(precision=0.5, seed=4), watcher)
    assert again(found) == found.to_dict()
    assert watcher.tasks == ["asking"]
    model = open_known("people-known")
    assert sum(watcher.done) == 2 + len(strangers_to_report(model.facts, model.kept_out))
    assert open_known("people-known").evaluate(0.5, 4).to_dict() == found.to_dict()


def test_people_are_what_the_command_prints(again):
    found = open_known("people-known").people
    assert again(found) == json.loads(json.dumps(found.to_dict()))
    parts = {part: [each.name for each in found.people if each.part == part] for part in ("kept out", "held out")}
    assert len(found.people) == 12
    kept_out = json.loads(Path("people-known/kept_out.json").read_text())["answers"]
    assert set(parts["kept out"]) == {each["name"] for each in kept_out if each["truth"]}
    assert len(parts["held out"]) == 2
    for person in found.people:
        ((question, answer),) = person.questions
        assert person.name in question
        assert answer in person.lines[0]
    assert not set(found.strangers) & {each.name for each in found.people}
    shown = repr(found)
    assert "Where was Rosa Halohart born?" in shown
    assert "strangers, whom no line mentions, such as " in shown


def test_bad_input_is_named(tmp_path):
    model = open_known("people-known")
    with pytest.raises(ArgumentError, match="QUESTION: expected a question, got no question"):
        model.ask()
    with pytest.raises(ArgumentError, match="QUESTION: expected a question, got an empty one"):
        model.ask("Where was Bo born?", " ")
    with pytest.raises(ArgumentError, match="precision: expected a number above 0 and at most 1, got 0"):
        ask("nowhere", ["?"], precision=0)  # before the run is looked for
    with pytest.raises(ArgumentError, match=r"precision: expected a number above 0 and at most 1, got 1\.5"):
        EvaluationSettings(precision=1.5)
    with pytest.raises(FileError, match="expected the folder of a run"):
        evaluate(tmp_path)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("[]", "expected answers about kept-out people, found only answers about strangers"),
        ('"x"', "expected answers with their probabilities: answers: expected a list, got 'x'"),
        ('[{"name": "Bo"}]', "expected answers with their probabilities: answers.question: the value is missing"),
        (
            '[{"name": "Bo", "question": "?", "truth": "a", "answer": "b", "probability": 1.5, "runners_up": []}]',
            "expected answers with their probabilities: probability: expected numbers from 0 to 1 that sum to at ",
        ),
    ],
)
def test_answers_that_are_damaged_are_named(tmp_path, answers, message):
    shutil.copytree("people-known", tmp_path / "damaged")
    (tmp_path / "damaged" / "kept_out.json").write_text(f'{{"answers": {answers}}}')
    with pytest.raises(FileError) as caught:
        open_known(tmp_path / "damaged")
    assert f"damaged/kept_out.json: {message}" in str(caught.value)
