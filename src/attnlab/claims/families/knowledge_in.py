"""Claim 17: pretraining stores facts in a model, and how questions get them out again."""

from attnlab.charts import Bars
from attnlab.claims.claim import Family, Finding, Quantity, share_bar
from attnlab.claims.models.people import (
    AT_ONCE,
    PEOPLE,
    RECIPE,
    REWRITES,
    SEEDS,
    Model,
    accuracy,
    ask,
    facts,
    memorised,
)
from attnlab.claims.seeds import Rate, over_worlds
from attnlab.numbers import percent, points, whole_percent

FAMILY = Family(
    17,
    "knowledge-in",
    "Facts in, facts out",
    bench="knowledge",
    question="How does a model learn where somebody was born, and what does it need to answer a question about it?",
    shares="people",
    worlds=SEEDS,
)
HARDLY = 0.1
"""D's border between models without and with pretraining; a smaller gain counts as hardly anything."""
TRAINED = (
    f"{SEEDS} seeds, each with a world of {PEOPLE} generated people and models of two layers; 95 % intervals over the "
    "seeds"
)


def _commonest(seed: int) -> Rate:
    """The accuracy of always giving the most common place."""
    return Rate(facts(seed).baseline(), len(facts(seed).held_out))


def _right(model: Model, seed: int) -> tuple[float, float]:
    """How often a model's answers about held-out people are right."""
    return over_worlds(lambda world: accuracy(model, world), seed, SEEDS)


def _chart(title: str, x_title: str, **values: tuple[float, float]) -> Bars:
    named = {name.replace("_", " "): value for name, value in values.items()}
    bars = (share_bar(name, *value) for name, value in named.items())
    said = ", ".join(f"{name} {whole_percent(mean)}" for name, (mean, _) in named.items())
    return Bars(title, x_title, tuple(bars), f"The shares are: {said}. The intervals are over {SEEDS} seeds.")


@FAMILY.claim(
    "pretraining",
    "Pretraining puts knowledge in: asked about people whom no training question was about, a model is right about "
    "more than 10 % of the birthplaces with it, and about less than 10 % without.",
    said_by="D",
    in_world=lambda world: (ask(["untaught"], ["training", "held out"], world), ask(["spanned"], ["held out"], world)),
)
def _pretraining(seed: int) -> Finding:
    without, read, commonest = _right("untaught", seed), _right("spanned", seed), over_worlds(_commonest, seed, SEEDS)
    above = over_worlds(lambda each: accuracy("untaught", each) - _commonest(each), seed, SEEDS)
    gain = over_worlds(lambda each: accuracy("spanned", each) - _commonest(each), seed, SEEDS)
    more = over_worlds(lambda each: accuracy("spanned", each) - accuracy("untaught", each), seed, SEEDS)
    learnt = over_worlds(lambda each: accuracy("untaught", each, "training"), seed, SEEDS)
    return Finding(
        "holds" if read[0] - read[1] > max(HARDLY, without[0] + without[1]) and without[0] < HARDLY else "fails",
        "Two models are finetuned on the same questions about some people, and tested on questions about others. One "
        f"was pretrained on everybody's lines, in {REWRITES} wordings, each time with one span hidden. It is right "
        f"about {percent(*read)} of the others, {points(*gain)} above the baseline: always giving the most common "
        f"place is right for {percent(*commonest)}. The model without pretraining is right about {percent(*without)}, "
        f"{points(*above)} above the baseline, although it learnt {percent(*learnt)} of its training answers. Those "
        f"answers say nothing about other people ({TRAINED}).",
        (
            Quantity("accuracy with pretraining", *read, "95 % interval"),
            Quantity("accuracy without", *without, "95 % interval"),
            Quantity("points gained by pretraining", *more, "95 % interval"),
            Quantity("accuracy of the most common place", *commonest, "95 % interval"),
            Quantity("points above the most common place, with pretraining", *gain, "95 % interval"),
            Quantity("points above the most common place, without", *above, "95 % interval"),
            Quantity("accuracy on the training questions, without", *learnt, "95 % interval"),
        ),
        chart=_chart(
            "What pretraining puts in",
            "accuracy on people whom no training question was about",
            without_pretraining=without,
            always_the_commonest=commonest,
            with_pretraining=read,
        ),
    )


@FAMILY.claim(
    "memorised",
    "A model cannot answer questions about facts that it has memorised until it is taught how to get them out.",
    said_by="the lab",
    in_world=lambda world: (memorised(world), ask(["direct", "reciting"], ["held out"], world)),
)
def _memorised(seed: int) -> Finding:
    known = over_worlds(memorised, seed, SEEDS)
    direct, recited = _right("direct", seed), _right("reciting", seed)
    lost = over_worlds(lambda each: memorised(each) - accuracy("direct", each), seed, SEEDS)
    gain = over_worlds(lambda each: accuracy("reciting", each) - accuracy("direct", each), seed, SEEDS)
    return Finding(
        "holds" if min(lost[0] - lost[1], gain[0] - gain[1]) > HARDLY else "fails",
        f"A model that was pretrained on lines completes the lines of {percent(*known)} of the held-out people with "
        f"their birthplace. Finetuned to answer at once, it is right about {percent(*direct)} of them: "
        f"{points(*lost)} are memorised but do not come out. The same pretrained model is then finetuned on the same "
        f"questions to recite the person's line first and to answer from it. It is right about {percent(*recited)}, "
        f"{points(*gain)} more. That takes {RECIPE.finetuning.training.steps} steps instead of "
        f"{AT_ONCE.training.steps}; both models go on training on everybody's lines. A line begins with the name, and "
        "the place comes later. So a model can know how a line goes on, and not know which place belongs to the "
        f"name, as Allen-Zhu and Li (2023) found in larger models ({TRAINED}).",
        (
            Quantity("lines completed with the birthplace", *known, "95 % interval"),
            Quantity("accuracy, answered at once", *direct, "95 % interval"),
            Quantity("accuracy, recited first", *recited, "95 % interval"),
            Quantity("points memorised that do not come out", *lost, "95 % interval"),
            Quantity("points that reciting gets out", *gain, "95 % interval"),
        ),
        chart=_chart(
            "Memorised and extracted",
            "share of held-out people",
            line_completed=known,
            answered_at_once=direct,
            recited_first=recited,
        ),
    )


@FAMILY.claim(
    "rewrites",
    "If pretraining shows each fact in many wordings, questions can extract it: the model then answers at once.",
    said_by="the lab",
    in_world=lambda world: ask(["direct", "rewritten"], ["held out"], world),
)
def _rewrites(seed: int) -> Finding:
    one, many = _right("direct", seed), _right("rewritten", seed)
    gain = over_worlds(lambda each: accuracy("rewritten", each) - accuracy("direct", each), seed, SEEDS)
    return Finding(
        "holds" if gain[0] - gain[1] > 0 else "fails",
        "Two models have the same people, steps and finetuning questions. Pretrained on one line per person, a model "
        f"is right about {percent(*one)} of the held-out people. Pretrained on {REWRITES} wordings of that line, it "
        f"is right about {percent(*many)}, {points(*gain)} more. It sees each line {REWRITES} times less often, but "
        f"each fact as often as before: only the name and the facts are the same in all wordings ({TRAINED}).",
        (
            Quantity("accuracy at once, one wording", *one, "95 % interval"),
            Quantity(f"accuracy at once, {REWRITES} wordings", *many, "95 % interval"),
            Quantity("points gained by many wordings", *gain, "95 % interval"),
            Quantity("wordings of each line", REWRITES),
        ),
        chart=_chart(
            "What many wordings gain",
            "accuracy at once, held-out people",
            one_wording=one,
            many_wordings=many,
        ),
    )
