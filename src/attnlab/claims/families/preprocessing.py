"""Claim 16, the other half: which preprocessing helps a word model, and which helps a character model."""

from dataclasses import dataclass
from functools import cache, partial

from attnlab.charts import Bar, Bars
from attnlab.claims.claim import Family, Finding
from attnlab.claims.models.coursework import AS_IT_IS, characters, stated, word_pairs
from attnlab.claims.passages import Passages, passages
from attnlab.claims.seeds import worlds
from attnlab.evaluation.scoring.preprocessed import Preprocessed, measure_preprocessed
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.text.preprocessing import preprocess

FAMILY = Family(
    16.5,
    "preprocessing",
    "What preprocessing gains",
    bench="perplexity",
    question="Which preprocessing helps a language model?",
    shares="passages",
    data=lambda seed: passages(seed).sources,
)
TRIED = ("lower", "punctuation", "numbers", "accents", "case-marks")
MORE = 3
"""How many more passages of each kind lower-casing is tried on."""
LEAST = 0.0005
"""Bits per byte: a smaller change is printed as 0 and counts as no change."""
UNITS = {"words": partial(word_pairs, rule=AS_IT_IS), "characters": characters}


@dataclass(frozen=True)
class Effect:
    """The cost of a passage before and after a step, for models trained on the text before and after the step."""

    unit: str
    step: str
    passage: str
    before: Preprocessed
    after: Preprocessed

    @property
    def looks(self) -> float:
        """The perplexity after the step, divided by that before."""
        return self.after.perplexity / self.before.perplexity

    @property
    def gain(self) -> float:
        """The bits per byte of the raw passage that the step saves, with the removed information counted."""
        return self.before.bits_per_byte - self.after.bits_per_byte

    @property
    def sign(self) -> int:
        """1 if the step helps, −1 if it hurts, 0 for no change."""
        return 0 if abs(self.gain) < LEAST else 1 if self.gain > 0 else -1

    @property
    def told(self) -> str:
        """The step and its gain, in words."""
        return f"{self.step} {f'{self.gain:+.3f}'.replace('-', '−') if self.sign else 'no change'}"


@cache
def _effects(text: Passages, tried: tuple[str, ...]) -> list[Effect]:
    """Every step for every model and passage; the step is applied to the training text, too."""
    passages = {"near": text.near, "strange": text.far}
    found = []
    for unit in UNITS:
        before = {name: measure_preprocessed(_subject(unit, text.train, ""), raw, []) for name, raw in passages.items()}
        for step in tried:
            subject = _subject(unit, text.train, step)
            for name, raw in passages.items():
                found.append(
                    Effect(
                        unit, step, name, before[name], measure_preprocessed(subject, raw, [step], training=text.train)
                    )
                )
    return found


@cache
def _subject(unit: str, train: str, step: str) -> Subject:
    return UNITS[unit](preprocess(train, [step] if step else []))


def _told(effects: list[Effect]) -> str:
    return "; ".join(each.told for each in effects)


@FAMILY.claim(
    "perplexity",
    "A preprocessing step that lowers the perplexity makes the prediction better.",
    said_by="the lab, as a warning",
)
def _perplexity(seed: int) -> Finding:
    effects = _effects(passages(seed), TRIED)
    lower = [each for each in effects if each.looks < 1]
    better = [each for each in lower if each.sign > 0]
    worst = min(lower, key=lambda each: each.gain)
    return Finding(
        "holds" if len(better) == len(lower) else "fails",
        f"The texts are {passages(seed).source}. There are {len(TRIED)} steps, two models that are trained on the "
        f"text after the step, and two passages. The perplexity falls in {len(lower)} of {len(effects)} cases. For a "
        "fair comparison, the information that a step removes must be stored beside the text, so that the raw passage "
        f"can be recovered. With that cost counted, the raw passage costs fewer bits in {len(better)} of these "
        f"{len(lower)} cases. The worst case is the step “{worst.step}” for {worst.unit} on the {worst.passage} "
        f"passage: the perplexity goes from {worst.before.perplexity:.1f} to {worst.after.perplexity:.1f}, and the "
        f"bits per byte from {worst.before.bits_per_byte:.3f} to {worst.after.bits_per_byte:.3f}.",
        (
            stated("cases", len(effects)),
            stated("cases in which the perplexity falls", len(lower)),
            stated("of these, cases in which the bits of the raw passage fall", len(better)),
            stated("perplexity after the worst step, divided by that before", worst.looks),
            stated("bits per byte lost by the worst step", -worst.gain),
        ),
    )


@FAMILY.claim(
    "lower", "Lower-casing the text helps a model of words, whatever the passage.", said_by="the lab, as a warning"
)
def _lower(seed: int) -> Finding:
    # The coursework's passages are the same for every seed: they count once.
    texts = list(dict.fromkeys(passages(each) for each in (seed, *worlds(seed, MORE))))
    ours = [each for text in texts for each in _effects(text, ("lower",)) if each.unit == "words"]
    of = {name: [each for each in ours if each.passage == name] for name in ("near", "strange")}
    helped = {name: sum(each.sign > 0 for each in effects) for name, effects in of.items()}
    gains = {name: sum(each.gain for each in effects) / len(effects) for name, effects in of.items()}
    told = {
        name: f"{helped[name]} of {len(of[name])} {name} passages (on average {gains[name]:+.3f})".replace("-", "−")
        for name in of
    }
    return Finding(
        "holds" if sum(helped.values()) == len(ours) else "fails",
        f"The texts are {texts[0].source}. “The” and “the” become one word, and which of the two it was must be "
        f"stored beside the text. With that counted, the step saves bits per byte of the raw text on {told['near']} "
        f"and on {told['strange']}. Names and numbers gain little from it, and their capitals must be stored.",
        (
            *(stated(f"passages that it helps, {name}", count) for name, count in helped.items()),
            *(stated(f"mean bits per byte saved, {name} passages", gain) for name, gain in gains.items()),
            stated("passages of each kind", len(texts)),
        ),
    )


@FAMILY.claim(
    "everywhere",
    "A preprocessing step either helps or does not, whatever the model and the passage.",
    said_by="the lab, as a warning",
)
def _everywhere(seed: int) -> Finding:
    effects = _effects(passages(seed), TRIED)
    signs = {step: {each.sign for each in effects if each.step == step} for step in TRIED}
    mixed = [step for step in TRIED if signs[step] >= {1, -1}]
    told = {
        (unit, passage): _told([each for each in effects if (each.unit, each.passage) == (unit, passage)])
        for unit in UNITS
        for passage in ("near", "strange")
    }
    return Finding(
        "holds" if not mixed else "fails",
        f"The texts are {passages(seed).source}. These are the bits per byte of the raw passage that each step saves, "
        f"with the cost of storing the removed information counted. Words, near passage: {told['words', 'near']}. "
        f"Words, strange passage: {told['words', 'strange']}. Characters, near passage: {told['characters', 'near']}. "
        f"Characters, strange passage: {told['characters', 'strange']}. Of the {len(TRIED)} steps, {len(mixed)} help "
        f"in some cases and hurt in others{': ' if mixed else ''}{', '.join(mixed)}.",
        tuple(
            stated(f"bits per byte saved, {each.step}, {each.unit}, {each.passage} passage", each.gain)
            for each in effects
        ),
        chart=Bars(
            "What preprocessing saves on the strange passage",
            "bits per byte of the raw passage saved",
            tuple(Bar(f"{each.step}, {each.unit}", each.gain) for each in effects if each.passage == "strange"),
            "Bars to the right save bits, and bars to the left cost bits. "
            f"Words: {told['words', 'strange']}. Characters: {told['characters', 'strange']}.",
        ),
    )
