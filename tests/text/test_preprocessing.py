"""Steps of preprocessing: what each does, and that what is said to be undone can be."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnlab.errors import ArgumentError
from attnlab.text.preprocessing import STEPS, find_steps, preprocess

REVERSIBLE = [name for name, step in STEPS.items() if step.undo]


@pytest.mark.parametrize(
    ("step", "before", "after"),
    [
        ("lower", "The DNA of Éva", "the dna of éva"),
        ("punctuation", "Don't! (well-known), e\u0301... 'so'", "Don't well-known e\u0301 so"),
        ("numbers", "In 1862, 30,000–40,000 or 3.5", "In 0, 0–0 or 0"),
        ("quotes", "“don’t” «so»", '"don\'t" "so"'),
        ("dashes", "1801–1840 — so -- it − is well-known", "1801-1840 - so - it - is well-known"),
        ("accents", "Māori, e\u0301, Ngāti, ß", "Maori, e, Ngati, ß"),
        ("whitespace", "a  b\t\tc \r\n\r\n d", "a b c\nd"),
        ("lines", "one\ntwo \r\n three", "one two three"),
        ("case-marks", "DNA ↑ of Éva ß ǅ", "↑d↑n↑a ↑↑ of ↑éva ß ǅ"),
    ],
)
def test_what_a_step_does(step, before, after):
    assert preprocess(before, [step]) == after


def test_there_is_a_test_for_every_step():
    marks = test_what_a_step_does.pytestmark  # pyright: ignore[reportFunctionMemberAccess]
    assert {case[0] for case in marks[0].args[1]} == STEPS.keys()


def test_steps_go_one_after_the_other():
    assert preprocess("A “B”  c!", ["quotes", "lower", "whitespace"]) == 'a "b" c!'
    assert preprocess("As it is", []) == "As it is"


@pytest.mark.parametrize("name", REVERSIBLE)
@settings(deadline=None)
@given(text=st.text() | st.text(st.sampled_from("aAÉéßẞİıΣσςǅ↑ \n")))
@example(text="↑A↑↑a↑")
def test_what_can_be_undone_is(name, text):
    step = STEPS[name]
    assert step.undo is not None
    assert step.undo(step(text)) == text


def test_only_steps_that_can_be_undone_say_so():
    """Two texts that become one cannot both come back."""
    pairs = {
        "lower": ("A", "a"),
        "punctuation": ("a!", "a."),
        "numbers": ("1", "2"),
        "quotes": ("“", "”"),
        "dashes": ("–", "—"),
        "accents": ("é", "è"),
        "whitespace": ("a  b", "a b"),
        "lines": ("a\nb", "a b"),
    }
    assert [*pairs, *REVERSIBLE] == [*STEPS]
    for name, (one, other) in pairs.items():
        assert preprocess(one, [name]) == preprocess(other, [name])


def test_an_unknown_step_is_named():
    with pytest.raises(ArgumentError, match=r"^preprocess: expected lower, .*; got 'lowr'; did you mean lower\?$"):
        find_steps(["quotes", "lowr"])
