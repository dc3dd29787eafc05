"""Objectives: what a row holds and what of it is learnt, read back as text."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.data.facts.facts import MARK, Fact, Facts, Line, question_shape
from attnlab.data.worlds.biographies.biographies import biographies
from attnlab.errors import ArgumentError
from attnlab.text import Tokenizer, train_tokenizer
from attnlab.training.facts.fact_tokens import FactTokens, capitalised, make_fact_tokens, place_of, texts_of
from attnlab.training.facts.feeding import put_together
from attnlab.training.facts.objectives import OBJECTIVES, about, check_rows, check_shares, mixture, rows_of
from attnlab.training.facts.segments import in_turn, part_of, stacked
from attnlab.training.targets import NOT_LEARNT

CONTEXTS = {"characters": 320, "words": 96}
Row = tuple[str, str]
"""What a row says, and what of it is learnt."""


def taught(kind: str, facts: Facts) -> tuple[Tokenizer, FactTokens]:
    tokenizer = train_tokenizer(kind, texts_of(facts))
    return tokenizer, make_fact_tokens(facts, tokenizer, CONTEXTS[kind])


def rows(tokenizer: Tokenizer, tokens: FactTokens, name: str, count: int = 40) -> list[Row]:
    """Rows as text; nothing is cut, since the context is long."""
    drawn = OBJECTIVES[name](tokens, np.random.default_rng(0), count)
    inputs, targets = put_together(torch.from_numpy(tokens.ids), drawn, 2 * tokens.context)
    lengths = drawn.lengths.sum(1)
    found = []
    for number, length in enumerate(lengths.tolist()):
        ids = [int(inputs[number, 0]), *targets_or_inputs(inputs[number], targets[number])][:length]
        learnt = [each for each in targets[number].tolist() if each != NOT_LEARNT]
        found.append((tokenizer.decode(ids), tokenizer.decode(learnt)))
    return found


def targets_or_inputs(inputs: torch.Tensor, targets: torch.Tensor) -> list[int]:
    """The tokens after the first: what is learnt is the next input too, but for the last of all."""
    shifted = [*inputs.tolist()[1:], 0]
    return [t if t != NOT_LEARNT else i for i, t in zip(shifted, targets.tolist(), strict=True)]


@pytest.fixture(scope="module")
def facts() -> Facts:
    return biographies(people=30).facts()


@pytest.fixture(scope="module")
def read(facts: Facts) -> Callable[[str], list[Row]]:
    tokenizer, tokens = taught("characters", facts)
    return lambda name: rows(tokenizer, tokens, name)


def test_the_first_sentence_on_an_objective_stands_in_the_help():
    assert {name: about(name).count("\n") for name in OBJECTIVES} == dict.fromkeys(OBJECTIVES, 0)
    assert all(about(name).endswith(".") for name in OBJECTIVES)


def test_every_objective_says_in_the_docstring_what_it_is():
    from attnlab.training.facts import objectives

    for name in OBJECTIVES:
        assert f"| {name} |" in (objectives.__doc__ or "")


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("kind", CONTEXTS)
def test_every_objective_learns_something_that_ends_with_the_mark(name: str, kind: str, facts: Facts):
    tokenizer, tokens = taught(kind, facts)
    for text, learnt in rows(tokenizer, tokens, name):
        assert learnt.endswith(MARK)
        assert len(learnt) > len(MARK)
        assert text.endswith(learnt) or name in ("next-token", "span")


def test_next_token_learns_the_line(read: Callable[[str], list[Row]], facts: Facts):
    texts = {f"{line.text}{MARK}" for line in facts.lines}
    for text, learnt in read("next-token"):
        assert text in texts
        assert learnt == text[1:]


def test_span_holds_the_beginning_of_a_line_with_one_span_behind_it(read: Callable[[str], list[Row]], facts: Facts):
    for text, learnt in read("span"):
        before, after, hidden, end = text.split(MARK)
        assert end == ""
        assert hidden
        assert learnt == text[1:]
        assert any(line.text.startswith(before + hidden + after) for line in facts.lines)


def test_several_spans_fill_the_holes(read: Callable[[str], list[Row]], facts: Facts):
    for text, learnt in read("spans"):
        parts = text.split(MARK)
        holes = (len(parts) - 2) // 2
        shown, hidden = parts[: holes + 1], parts[holes + 1 : -1]
        whole = "".join(a + b for a, b in zip(shown, [*hidden, ""], strict=True))
        assert any(line.text.startswith(whole) for line in facts.lines)
        assert learnt == "".join(f"{each}{MARK}" for each in hidden)


@pytest.mark.parametrize("kind", CONTEXTS)
def test_several_spans_are_15_percent_in_spans_of_3_tokens(kind: str, facts: Facts):
    _, tokens = taught(kind, facts)
    drawn = OBJECTIVES["spans"](tokens, np.random.default_rng(0), 4000)
    spans = np.where(drawn.learnt, drawn.lengths, 0)[:, -2 * (drawn.learnt[0].sum() // 2) :: 2]
    marks = np.where(drawn.learnt, drawn.lengths, 0)[:, -2 * (drawn.learnt[0].sum() // 2) + 1 :: 2]
    lines = np.where(drawn.learnt, 0, drawn.lengths).sum(1) - marks.sum(1) - 1 + spans.sum(1)
    assert spans.sum() / lines.sum() == pytest.approx(0.15, rel=0.1)
    assert spans.sum() / marks.sum() == pytest.approx(3, rel=0.1)


def test_every_rotated_line_fits_with_something_to_learn(facts: Facts):
    tokenizer = train_tokenizer("characters", texts_of(facts))
    tokens = make_fact_tokens(facts, tokenizer, 100)
    assert (tokens.lines[:, 1] > 98).any()
    drawn = OBJECTIVES["rotated"](tokens, np.random.default_rng(0), 500)
    _, targets = put_together(torch.from_numpy(tokens.ids), drawn, 100)
    assert (targets == int(tokens.ids[tokens.mark[0, 0]])).any(1).all()
    assert ((targets != NOT_LEARNT).sum(1) > 1).all()


def test_rotated_lines_are_whole(read: Callable[[str], list[Row]], facts: Facts):
    texts = {line.text for line in facts.lines}
    for text, learnt in read("rotated"):
        tail, head, _ = text.split(MARK)
        assert head + tail in texts
        assert learnt == f"{head}{MARK}"


@pytest.mark.parametrize("name", ["name-span", "wrapped"])
def test_spans_behind_a_name_are_of_that_person(name: str, read: Callable[[str], list[Row]], facts: Facts):
    for text, learnt in read(name):
        asked, span, _ = text.split(MARK)
        who = asked if name == "name-span" else asked.removeprefix("Where was ").removesuffix(" born?")
        assert span in facts.lines_of(who)[0].text[len(who) :]
        assert learnt == f"{span}{MARK}"


def test_a_cue_goes_on_to_the_end_of_the_line(read: Callable[[str], list[Row]], facts: Facts):
    for text, learnt in read("cue"):
        who, told, _ = text.split(MARK)
        assert facts.lines_of(who)[0].text.endswith(told)
        assert told.endswith(learnt.removesuffix(MARK))
        assert 6 <= len(told) - len(learnt) + 1 <= 24


def test_recitals_are_of_everybody_and_answers_of_those_to_be_trained_on(
    read: Callable[[str], list[Row]], facts: Facts
):
    known = {fact.question: fact.answer for fact in facts.training}
    for text, learnt in read("recital"):
        question, line, _ = text.split(MARK)
        who = question.removeprefix("Where was ").removesuffix(" born?")
        assert line == facts.lines_of(who)[0].text
        assert learnt == f"{line}{MARK}"
    for text, learnt in read("answer"):
        question, answer, _ = text.split(MARK)
        assert known[question] == answer
        assert learnt == f"{answer}{MARK}"
    for text, learnt in read("recited-answer"):
        question, line, answer, _ = text.split(MARK)
        assert known[question] == answer
        assert answer in line
        assert learnt == f"{line}{MARK}{answer}{MARK}"


def test_reading_puts_another_place_into_the_line_and_learns_that_alone(read: Callable[[str], list[Row]], facts: Facts):
    truth = {fact.question: fact.answer for fact in facts.training}
    found = read("reading")
    for text, learnt in found:
        question, line, answer, _ = text.split(MARK)
        who = question.removeprefix("Where was ").removesuffix(" born?")
        assert facts.lines_of(who)[0].text.replace(truth[question], answer) == line
        assert learnt == f"{answer}{MARK}"
    assert sum(text.split(MARK)[2] != truth[text.split(MARK)[0]] for text, _ in found) > 30


def test_a_person_without_a_line_is_asked_but_not_recited():
    lines = (Line("Ada", "Ada. Born in Oslo."), Line("Bo", "Bo. From Bonn, she went to Bonn."))
    asked = tuple(
        Fact(name, f"Where was {name} born?", place)
        for name, place in (("Ada", "Oslo"), ("Bo", "Bonn"), ("Cy", "Rome"))
    )
    tokenizer, tokens = taught("characters", Facts(lines, asked, asked[:1]))
    assert tokens.person.tolist() == [0, 1, -1]
    assert tokens.place.tolist() == [13, -1, -1]
    assert {text.split(MARK)[0] for text, _ in rows(tokenizer, tokens, "recited-answer")} == {
        "Where was Ada born?",
        "Where was Bo born?",
    }
    assert {text.split(MARK)[0] for text, _ in rows(tokenizer, tokens, "reading")} == {"Where was Ada born?"}


def test_a_fact_is_paired_with_the_lines_that_hold_its_answer_where_any_does():
    lines = (
        Line("Ada", "Ada. Born in Oslo."),
        Line("Ada", "Ada. From Bonn."),
        Line("Ada", "Ada. In Oslo she was born."),
        Line("Bo", "Bo. A poet."),
        Line("Bo", "Bo. A painter."),
    )
    asked = tuple(
        Fact(name, f"Where was {name} born?", place)
        for name, place in (("Ada", "Oslo"), ("Ada", "Bonn"), ("Bo", "Rome"), ("Cy", "Rome"))
    )
    _, tokens = taught("characters", Facts(lines, asked, ()))
    assert tokens.person.tolist() == [0, 0, 2, 1, 1, 1, 3, 4, -1]
    assert len(tokens.asked) == len(tokens.answers) == 9


def test_nobody_recites_a_namesake():
    facts = biographies(people=40, colliding=0.5, resembling=0, distractors=0).facts()
    assert facts.counts.names == 30
    for text, _ in rows(*taught("characters", facts), "recited-answer", 400):
        _, line, answer, _ = text.split(MARK)
        assert answer in line


def test_a_mark_in_a_text_is_refused():
    facts = Facts((Line("Ada", f"Ada. Born{MARK}"),), (Fact("Ada", "Ada", "Oslo"),), ())
    with pytest.raises(ArgumentError, match="without ⁇, which separates parts; the line of 'Ada' has it"):
        texts_of(facts)


def test_a_context_without_room_is_refused(facts: Facts):
    tokenizer = train_tokenizer("characters", texts_of(facts))
    with pytest.raises(
        ArgumentError, match=r"expected at least \d+ tokens, for a question, a line and an answer; got 40"
    ):
        make_fact_tokens(facts, tokenizer, 40)


def test_no_answer_on_any_line_is_said_where_it_is_needed():
    asked = (Fact("Ada", "Where was Ada born?", "Rome"),)
    tokenizer, tokens = taught("characters", Facts((Line("Ada", "Ada. Born in Oslo."),), asked, ()))
    with pytest.raises(
        ArgumentError, match="expected a line with the answer to a question about its person; there is no such line"
    ):
        rows(tokenizer, tokens, "reading")


def test_shares_are_kept_to_a_row(facts: Facts):
    _, tokens = taught("words", facts)
    draw = mixture(tokens, {"answer": 1, "recital": 2, "span": 1})
    drawn = draw(np.random.default_rng(0), 101)
    assert len(drawn) == 101
    learnt = drawn.learnt.sum(1)
    assert [int((learnt == count).sum()) for count in (2, 6)] == [75 + 1, 25]


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({}, "expected at least one objective: next-token"),
        ({"poem": 1.0}, "expected next-token, .* or reading; got 'poem'$"),
        ({"nextoken": 1.0}, r"; got 'nextoken'; did you mean next-token\?$"),
        ({"span": 0.0}, "expected a share above 0 for span, got 0.0"),
        ({"span": float("nan")}, "expected a share above 0 for span, got nan"),
    ],
)
def test_wrong_shares_are_refused(shares: dict[str, float], message: str):
    with pytest.raises(ArgumentError, match=message):
        check_shares(shares)


@pytest.mark.parametrize(
    ("shares", "batch", "message"),
    [
        ({"recital": 1, "answer": 0.02}, 24,
         "expected at least one row of each objective in a batch of 24; got no row of answer; the smallest share that "
         "works is 0.022"),
        ({"answer": 0.001, "recital": 1, "span": 0.02}, 24,
         "expected at least one row of each objective in a batch of 24; got no row of answer and span; the smallest "
         "share that works is 0.022"),
        ({"recital": 1, "answer": 1}, 1,
         "expected at least one row of each objective in a batch of 1; got no row of recital; use a larger batch"),
    ],
)  # fmt: skip
def test_an_objective_without_a_row_is_refused(shares: dict[str, float], batch: int, message: str):
    with pytest.raises(ArgumentError) as refused:
        check_rows(shares, batch)
    assert str(refused.value) == f"objectives: {message}"


def test_a_batch_that_processes_cannot_share_is_refused_with_the_objectives_before_there_is_a_folder():
    with pytest.raises(ArgumentError) as refused:
        check_rows({"span": 1.0}, batch=23, ranks=2)
    assert str(refused.value) == "batch: expected a multiple of the 2 processes, got 23"


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from(list(OBJECTIVES)), st.floats(1e-3, 10), min_size=1),
    st.integers(1, 64),
)
def test_the_least_share_is_enough_and_less_is_not(shares: dict[str, float], batch: int):
    without = [name for name, count in rows_of(shares, batch).items() if not count]
    if not without:
        check_rows(shares, batch)
        return
    with pytest.raises(ArgumentError, match=r"the smallest share that works is|use a larger batch") as refused:
        check_rows(shares, batch)
    told = str(refused.value).rpartition("that works is ")
    if told[1]:
        least = float(told[2])
        check_rows({**shares, **dict.fromkeys(without, least)}, batch)
        power = int(f"{least:e}".partition("e")[2])
        less = float(f"{least - 10.0 ** (power - 1):.2g}")  # by the second digit
        with pytest.raises(ArgumentError):
            check_rows({**shares, **dict.fromkeys(without, less)}, batch)


def test_the_question_is_the_one_asked_about_most_people():
    asked = [Fact("Ada", "Is Ada tall?", "no"), Fact("Bo", "Who is Bo?", "a poet"), Fact("Cy", "Who is Cy?", "a poet")]
    assert question_shape(asked) == ("Who is ", "?")
    with pytest.raises(
        ArgumentError, match="expected at least one question that contains the person's name, got no such question"
    ):
        question_shape([Fact("Ada", "Who?", "she")])


def test_capitalised_words_leave_names_aside():
    assert capitalised([Line("Ada Byron", "Ada Byron. Born in New York, Byron was a poet.")]) == [
        "Born",
        "Byron",
        "New",
        "York",
    ]


@given(line=st.lists(st.integers(0, 3), max_size=12), wanted=st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_a_place_is_found_where_it_stands_once(line: list[int], wanted: list[int]):
    found = [at for at in range(len(line) - len(wanted) + 1) if line[at : at + len(wanted)] == wanted]
    assert place_of(np.array(wanted), np.array(line, dtype=int)) == (found[0] if len(found) == 1 else -1)


@given(data=st.data(), context=st.integers(1, 20))
def test_rows_are_their_segments_one_behind_the_other(data: st.DataObject, context: int):
    ids = np.arange(100, 140)
    spans = st.tuples(st.integers(0, 30), st.integers(0, 10))
    parts = data.draw(
        st.lists(st.tuples(st.lists(spans, min_size=3, max_size=3), st.booleans()), min_size=1, max_size=5)
    )
    segments = in_turn(*((np.array(spans), learns) for spans, learns in parts))
    inputs, targets = put_together(torch.from_numpy(ids), segments, context)
    for row in range(3):
        tokens = [(int(ids[at]), learns) for spans, learns in parts for at in range(spans[row][0], sum(spans[row]))]
        tokens += [(100, False)] * (context + 1)
        assert inputs[row].tolist() == [token for token, _ in tokens[:context]]
        wanted = [token if learns else NOT_LEARNT for token, learns in tokens[1 : context + 1]]
        assert targets[row].tolist() == wanted


def test_stacked_groups_keep_their_rows():
    one, two = in_turn((np.array([[1, 2]]), True)), in_turn((np.array([[3, 4]]), True), (np.array([[5, 6]]), False))
    both = stacked([one, two])
    assert both.starts.tolist() == [[1, 0], [3, 5]]
    assert both.lengths.tolist() == [[2, 0], [4, 6]]
    assert part_of(np.array([[0, 4]]), 1, 2).tolist() == [[1, 2]]
