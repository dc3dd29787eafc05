"""The certificate: what it holds, and that the measurement itself is checked, its first token too."""

import dataclasses
import json
import math
import time
from collections.abc import Sequence

import numpy as np
import pytest
from jaxtyping import Integer
from tests.evaluation import faulty
from tests.evaluation.faulty import FaultyTokenizer, Miscounting, attending

from attnlab.errors import ArgumentError
from attnlab.evaluation.audit import HARD_TEXT, Certificate, Check, audit
from attnlab.evaluation.audit.byte_ledger import byte_ledger
from attnlab.evaluation.scoring.costs import costs
from attnlab.evaluation.scoring.predictors import predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.kinds import make_model
from attnlab.models.transformer import TransformerConfig
from attnlab.text import train_tokenizer

BYTES = train_tokenizer("bytes", "")
SUBJECT = Subject("m", BYTES, attending(faulty.sound))
BEGUN = Subject("m", BYTES, attending(faulty.sound, size=257), start=256)
NAMES = [
    "causal",
    "normalised",
    "every byte counted once",
    "first token",
    "batch-invariant",
    "deterministic",
    "recounted",
]


def test_a_certificate_has_every_check_and_survives_json():
    found = audit(SUBJECT)
    assert [check.name for check in found.checks] == NAMES
    assert found.sound
    value = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert value["sound"] is True
    assert value["ledger"]["file_bytes"] == len(HARD_TEXT.encode())
    assert found.ledger == byte_ledger(BYTES, HARD_TEXT)


def test_one_failed_check_makes_it_unsound_and_json_has_no_endless_number():
    passed = Check("a", True, "it is", {"change": 0.0})
    failed = Check("b", False, "it is not", {"change": math.inf, "other": math.nan, "place": 3})
    found = Certificate("m", (passed, failed), byte_ledger(BYTES, "a"))
    assert not found.sound
    assert found.failed == (failed,)
    assert found.to_dict()["checks"][1]["numbers"] == {"change": None, "other": None, "place": 3}


def said(subject: Subject, text: str = "abc", **options) -> tuple[bool, str]:
    check = audit(subject, text, **options).checks[3]
    assert check.name == "first token"
    return check.passed, check.said


def test_the_first_tokens_policy_is_stated():
    assert said(SUBJECT) == (True, "counted as one of 256 equally likely tokens: ln 256 = 5.545 nats")
    cost = costs(BEGUN, "abc").nats[0]
    assert said(BEGUN) == (True, f"predicted from the model's start token (256): {cost:.4g} nats")


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize("subject", [SUBJECT, BEGUN])
def test_the_measurement_itself_is_checked(subject):
    measured = costs(subject, "abcdef")
    assert audit(subject, "abcdef", measured=measured).sound
    dropped = dataclasses.replace(measured, nats=measured.nats[1:])
    assert said(subject, "abcdef", measured=dropped) == (False, "expected a cost for each of 6 tokens, got 5 costs")
    free = dataclasses.replace(measured, nats=np.where(np.arange(6) == 0, 0.0, measured.nats))
    passed, words = said(subject, "abcdef", measured=free)
    assert not passed
    assert words == f"the first token was measured at 0 nats, but it costs {measured.nats[0]:.6g} nats"


def test_a_beginning_that_the_model_does_not_have():
    wrong = dataclasses.replace(SUBJECT, start=256)
    assert said(wrong) == (False, "the start token is 256, but the model knows only the tokens 0 to 255")


def test_the_file_that_a_text_was_read_from_counts():
    found = audit(SUBJECT, "ab\n", raw=b"ab\r\n")
    assert [check.name for check in found.failed] == ["every byte counted once"]
    assert found.failed[0].said.startswith("the text (3 bytes) is not the content of the file (4 bytes)")


def test_what_cannot_be_compared_is_said():
    """A tokenizer that allows no cut, and whose text does not come back."""

    class Opaque(FaultyTokenizer):
        def cut(self, text: str) -> int:
            return 0

        def decode(self, ids: Sequence[int] | Integer[np.ndarray, " tokens"]) -> str:
            return super().decode(ids).lower()

    check = audit(Subject("m", Opaque(), SUBJECT.predictor), "The end").checks[2]
    words = "7 tokens cover the file's 7 bytes; only the total can be checked; decoding them does not give"
    assert (check.passed, check.said) == (True, f"{words} the text back: 1 capital")


@pytest.mark.parametrize("text", ["a", "ab", "é"])
def test_a_short_text_will_do(text):
    assert audit(SUBJECT, text).sound


def test_a_text_without_a_token_is_refused():
    with pytest.raises(ArgumentError, match=r"^text: expected at least one token, got no tokens$"):
        audit(SUBJECT, "")


def test_a_model_without_a_network_at_hand_is_audited_as_far_as_it_goes():
    found = audit(Subject("m", BYTES, Miscounting())).checks[0]
    assert (found.passed, found.said) == (True, "changing later tokens changes nothing before them")
    assert found.numbers["weights_times"] is None


def test_an_audit_is_quick_also_of_a_large_vocabulary():
    """Of processor time, which other work on the machine does not lengthen."""
    model = make_model(TransformerConfig(layers=2, width=64, context=512), 50_000)
    began = time.process_time()
    assert audit(Subject("m", BYTES, predictor_of(model))).sound
    assert time.process_time() - began < 10
