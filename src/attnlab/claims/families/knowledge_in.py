"""Claim 17: pretraining puts knowledge in; and what it takes to get it out again."""

from attnlab.charts import Bar, Bars
from attnlab.claims.claim import Family, Finding, Quantity
from attnlab.claims.taught_models import (
    AT_ONCE,
    PEOPLE,
    RECIPE,
    REWRITES,
    SEEDS,
    Model,
    accuracy,
    facts,
    memorised,
    over_seeds,
)
from attnlab.numbers import percent

FAMILY = Family(
    17,
    "knowledge-in",
    "Facts in, facts out",
    question="Where does a model have it from where somebody was born, and what does it take to get it out?",
)
HARDLY = 0.1
"""What is less is hardly anything: D takes this share for the border between models with pretraining and without."""
TRAINED = (
    f"{SEEDS} seeds, each with a world of {PEOPLE} generated people and models of two layers; 95 % intervals over the "
    "seeds"
)


def _commonest(seed: int) -> float:
    """How often it is right always to say the commonest place."""
    return facts(seed).baseline()


def _right(model: Model) -> tuple[float, float]:
    """How often a model's answers about held-out people are right."""
    return over_seeds(lambda seed: accuracy(model, seed))


def _points(value: tuple[float, float]) -> str:
    return f"{100 * value[0]:.0f} ± {100 * value[1]:.0f} points".replace("-", "−")


def _chart(title: str, x_title: str, **values: tuple[float, float]) -> Bars:
    named = {name.replace("_", " "): value for name, value in values.items()}
    bars = (Bar(name, mean, max(0.0, mean - half), min(1.0, mean + half)) for name, (mean, half) in named.items())
    said = ", ".join(f"{name} {100 * mean:.0f} %" for name, (mean, _) in named.items())
    return Bars(title, x_title, tuple(bars), f"The shares are: {said}. The intervals are over {SEEDS} seeds.")


@FAMILY.claim(
    "pretraining",
    "Pretraining puts knowledge in: with it a model says where people were born whom no question was about, without it "
    "hardly more often than by always saying the commonest place.",
    said_by="D",
)
def _pretraining(seed: int) -> Finding:
    without, read, commonest = _right("untaught"), _right("spanned"), over_seeds(_commonest)
    above = over_seeds(lambda each: accuracy("untaught", each) - _commonest(each))
    gain = over_seeds(lambda each: accuracy("spanned", each) - _commonest(each))
    learnt = over_seeds(lambda each: accuracy("untaught", each, "training"))
    return Finding(
        "holds" if gain[0] - gain[1] > HARDLY > above[0] + above[1] else "fails",
        "Both models learn the answers to the same questions about some people, and nothing else then, and are asked "
        f"about others. The one that has read everybody's lines before, in {REWRITES} wordings and each time with one "
        f"span hidden, is right about {percent(*read)} of them: {_points(gain)} more than always to say the commonest "
        f"place, which is right for {percent(*commonest)}. The one that has read nothing is right about "
        f"{percent(*without)}, {_points(above)} more than the commonest, though it knows {percent(*learnt)} of the "
        f"answers that it was taught: they say nothing about other people ({TRAINED}).",
        (
            Quantity("accuracy with pretraining", *read, "95 % interval"),
            Quantity("accuracy without", *without, "95 % interval"),
            Quantity("accuracy of the commonest place", *commonest, "95 % interval"),
            Quantity("points above the commonest place, with pretraining", *gain, "95 % interval"),
            Quantity("points above the commonest place, without", *above, "95 % interval"),
            Quantity("accuracy on the questions taught, without", *learnt, "95 % interval"),
        ),
        chart=_chart(
            "What pretraining puts in",
            "right answers about people whom no question was about",
            without_pretraining=without,
            always_the_commonest=commonest,
            with_pretraining=read,
        ),
    )


@FAMILY.claim(
    "memorised",
    "What a model has memorised it cannot yet answer: it must be taught how to get it out.",
    said_by="the lab",
)
def _memorised(seed: int) -> Finding:
    known = over_seeds(memorised)
    direct, recited = _right("direct"), _right("reciting")
    lost = over_seeds(lambda each: memorised(each) - accuracy("direct", each))
    gain = over_seeds(lambda each: accuracy("reciting", each) - accuracy("direct", each))
    return Finding(
        "holds" if min(lost[0] - lost[1], gain[0] - gain[1]) > HARDLY else "fails",
        f"A model that was pretrained on lines completes those of {percent(*known)} of the held-out people with their "
        f"birthplace. Finetuned to answer at once, it says where {percent(*direct)} of them were born: "
        f"{_points(lost)} were memorised and do not come out. The same pretrained model, finetuned on the same "
        "questions to recite the person's line first and read the answer off it, is right about "
        f"{percent(*recited)}, {_points(gain)} more. That takes {RECIPE.finetuning.training.steps} steps instead of "
        f"{AT_ONCE.training.steps}; both go on reading everybody's lines. A line begins with the name, and the place "
        "stands somewhere behind it: a model can know how the line goes on without knowing what goes with the name, as "
        f"Allen-Zhu and Li (2023) found in larger models ({TRAINED}).",
        (
            Quantity("lines completed with the birthplace", *known, "95 % interval"),
            Quantity("accuracy, answered at once", *direct, "95 % interval"),
            Quantity("accuracy, recited and read", *recited, "95 % interval"),
            Quantity("points memorised that do not come out", *lost, "95 % interval"),
            Quantity("points that reciting gets out", *gain, "95 % interval"),
        ),
        chart=_chart(
            "Memorised, and got out",
            "share of held-out people",
            line_completed=known,
            answered_at_once=direct,
            recited_first=recited,
        ),
    )


@FAMILY.claim(
    "rewrites",
    "Lines in many wordings make a fact extractable: the model then answers at once.",
    said_by="the lab",
)
def _rewrites(seed: int) -> Finding:
    one, many = _right("direct"), _right("rewritten")
    gain = over_seeds(lambda each: accuracy("rewritten", each) - accuracy("direct", each))
    return Finding(
        "holds" if gain[0] - gain[1] > 0 else "fails",
        f"The same people, as many steps, the same questions to finetune on: with one line a person the model, asked "
        f"at once, is right about {percent(*one)} of the held-out people, with {REWRITES} wordings of that line about "
        f"{percent(*many)}, {_points(gain)} more. Each line comes {REWRITES} times less often then, and each fact as "
        f"often as before: what is the same in all wordings is the name and the facts ({TRAINED}).",
        (
            Quantity("accuracy at once, one wording", *one, "95 % interval"),
            Quantity(f"accuracy at once, {REWRITES} wordings", *many, "95 % interval"),
            Quantity("points that wordings buy", *gain, "95 % interval"),
            Quantity("wordings of each line", REWRITES),
        ),
        chart=_chart(
            "What many wordings buy",
            "right answers at once, held-out people",
            one_wording=one,
            many_wordings=many,
        ),
    )
