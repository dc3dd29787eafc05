"""Calls: a verb and its arguments as a command line and as Python."""

import shlex

import pytest

from attnlab.calls import Call, OptionWord, Weights, given_matrix, given_text


@pytest.mark.parametrize(
    ("call", "command", "python"),
    [
        (Call("runs"), "runs", "runs()"),
        (Call("check", ("copy", "-q = k_j")), "check -- copy '-q = k_j'", 'check("copy", "-q = k_j")'),
        (
            Call("check", (OptionWord("problem", "own.toml"), "q")),
            "check q --problem own.toml",
            'check("own.toml", "q")',
        ),
        (
            Call("score", ("run", OptionWord("file", given_text("text", "a"))), function="open().score"),
            "printf %s a > given-text-ca978112.txt && attnlab score run --file given-text-ca978112.txt",
            'open("run").score("a")',
        ),
        (
            Call("sample", ("run",), {"length": 9}, "open().sample"),
            "sample run --length 9",
            'open("run").sample(length=9)',
        ),
        (
            Call("heads ablate", ("run",), {"heads": ("0.1",)}),
            "heads ablate run --heads 0.1",
            'heads.ablate("run", heads=("0.1",))',
        ),
        (
            Call("train", ("t",), {"model": {"layers": 2}}),
            "train t --model.layers 2",
            'train("t", model={"layers": 2})',
        ),
        (Call("train", ("t",), {"tokens": {"kind": "words"}}), "train t --tokens words", 'train("t", tokens="words")'),
        (Call("x", options={"one": True, "other": False}), "x --one --other no", "x(one=True, other=False)"),
        (Call("x", options={"queries": [[-1.0, 0.5]]}), "x --queries=-1.0,0.5", "x(queries=[[-1.0, 0.5]])"),
        (Call("x", options={"mix": Weights({0: 0.5, 2: 0.5})}), "x --mix 0=0.5,2=0.5", "x(mix={0: 0.5, 2: 0.5})"),
        (Call("x", options={"text": ["a", "b c"]}), "x --text a 'b c'", 'x(text=["a", "b c"])'),
        (Call("x", options={"text": ["a"]}), "x --text a", 'x(text="a")'),
        (
            Call("x", options={"keys": given_matrix("keys", [[1.0, 0.1], [0.0, -2.0]])}),
            "printf %s '1.0,0.1\n0.0,-2.0\n' > given-keys-90670546.csv && attnlab x --keys given-keys-90670546.csv",
            "x(keys=[[1.0, 0.1], [0.0, -2.0]])",
        ),
    ],
)
def test_a_call_is_written_twice(call, command, python):
    assert call.command.removeprefix("attnlab ") == command
    assert call.python == f"import attnlab as al\nal.{python}"


def test_a_text_that_was_given_is_quoted_and_its_name_is_no_path():
    text = 'It\'s "so"\n$HOME `x` \\ {}\n'
    call = Call("x", (given_text("../notes 1.txt", text),))
    written, line = call.command.split(" > ")
    assert shlex.split(written) == ["printf", "%s", text]
    assert line == "given-..-notes-1-2fc778d3.txt && attnlab x given-..-notes-1-2fc778d3.txt"
    assert eval(call.python.partition("al.x")[2]) == text
