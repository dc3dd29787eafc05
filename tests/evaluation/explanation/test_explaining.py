"""Whatever is asked for is explained, and measures as many tokens as it said."""

import pytest

from attnlab.errors import ArgumentError
from attnlab.evaluation.explanation.explaining import explain, work
from attnlab.evaluation.scoring.costs import Policy

TEXTS = ("The cat sat on the mat. 12 Dogs ran, too;\n" * 3, "and 7 cats hid from THEM!\n" * 4)
NAMES = ("one", "two")


@pytest.mark.parametrize(("models", "texts"), [(1, 1), (2, 1), (1, 2), (4, 1)])
@pytest.mark.parametrize("stride", [None, 1])
@pytest.mark.parametrize("contexts", [(4, 9, 30, 4), (16, 3, 3, 40)])
def test_as_many_tokens_are_measured_as_it_said(restless_subject, models, texts, stride, contexts):
    kinds = ("words", "bytes", "characters", "bytes")
    subjects = [restless_subject(kinds[at], TEXTS[0], at, contexts[at]) for at in range(models)]
    policies = [Policy(stride=stride)] * models
    told: list[int] = []
    found = explain(subjects, policies, TEXTS[:texts], NAMES[:texts], told.append)
    assert sum(told) == work(subjects, policies, [len(each.encoding) for each in found.costs])
    assert len(found.costs) == max(models, texts)


def test_anything_else_is_refused(restless_subject):
    model = restless_subject("bytes", "", 1, 4)
    with pytest.raises(ArgumentError, match="or one model on two texts; got 2 models on 2 texts"):
        explain([model, model], [Policy(), Policy()], TEXTS, NAMES)
    with pytest.raises(ArgumentError, match=r"explain: expected one text .*; got 1 models on 3 texts"):
        explain([model], [Policy()], (*TEXTS, "more"), (*NAMES, "three"))
