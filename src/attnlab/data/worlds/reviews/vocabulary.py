"""The words of generated reviews: praise and blame of three strengths, negations, and neutral sentences."""


def _words(row: str) -> tuple[str, ...]:
    return tuple(row.split())


PRAISE = (
    "good nice pleasant decent likeable solid neat amusing warm tidy sound fair agreeable watchable enjoyable "
    "competent charming lively",
    "great clever funny gripping touching elegant beautiful witty fresh strong smart rich moving delightful convincing "
    "graceful vivid thoughtful",
    "brilliant superb magnificent stunning flawless breathtaking sublime marvellous unforgettable dazzling outstanding "
    "glorious exquisite phenomenal wonderful perfect",
)
BLAME = (
    "bad weak slow flat thin bland plain tame uneven dated stiff clumsy ordinary forgettable predictable shallow "
    "patchy muddled",
    "dull boring stupid tedious lazy silly ugly lifeless corny annoying pointless messy tiresome hollow unconvincing "
    "wooden dreary sloppy",
    "awful terrible dreadful horrible atrocious abysmal unbearable appalling disastrous hideous pathetic ghastly "
    "insufferable excruciating unwatchable vile",
)
ADJECTIVES = {+1: tuple(map(_words, PRAISE)), -1: tuple(map(_words, BLAME))}
"""By polarity; then mild, plain and loud adjectives, of strength 1, 2 and 3."""

NOUNS = {
    +1: ("a masterpiece", "a triumph", "a gem", "a classic", "a treasure", "a joy", "a miracle", "a delight"),
    -1: ("a disaster", "a failure", "a mess", "a travesty", "a fiasco", "an insult", "a bore", "a catastrophe"),
}
"""Nouns for a film or a part of it; all are loud."""

SINGULAR = (
    *_words("acting plot ending opening script dialogue music photography editing pacing direction cast hero villain"),
    *_words("humour romance story premise lighting score casting start end middle mood atmosphere twist sequel remake"),
    *("first half", "second half", "lead actor", "love story", "final act", "sound design", "camera work"),
)
PLURAL = (
    *_words("performances jokes effects costumes characters songs sets actors monsters stunts landscapes scenes"),
    *("fight scenes", "side stories", "opening credits"),
)
VERBS = (("is", "are"), ("was", "were"), ("seemed", "seemed"), ("felt", "felt"), ("remains", "remain"))

INTENSIFIERS = ("very", "really", "particularly", "especially", "truly")
NEGATIONS = ("not", "not", "not", "hardly", "far from", "by no means", "certainly not", "never")
"""Negations before any adjective or noun; the plainest is the commonest."""
UNDERSTATED = "not half"
"""Only before blame that is not loud: “not half bad”."""

CONTRASTS = (
    ("{0}, but {1}.", 1),
    ("{0}, but {1}.", 1),
    ("{0}, but in the end {1}.", 1),
    ("{0}, yet {1}.", 1),
    ("although {0}, {1}.", 1),
    ("{0}, although {1}.", 0),
)
"""Patterns of two contrasting halves, and which half decides."""

REPORTS = (
    ("the critics say that {0}. I say that {1}.", 1),
    ("my friends claim that {0}, while I claim that {1}.", 1),
    ("I think that {0}. My brother thinks that {1}.", 0),
    ("we were told that {0}, but we found that {1}.", 1),
    ("for the press {0}; for me {1}.", 1),
    ("people like to say that {0}. If you ask me, {1}.", 1),
)
"""Patterns of the others' opinion and the writer's, and which half is the writer's."""

OPENINGS = (
    "I saw this film last night.",
    "We watched it on a rainy Sunday.",
    "I had waited for this one since the trailer.",
    "This was shown at our local festival.",
    "I came to it without any idea of what to expect.",
    "My sister brought the disc along.",
    "It has taken me years to see it.",
    "I have read the book twice.",
    "Let me begin with what matters.",
    "A word about this production.",
    "I watched the long version.",
    "It was the late show on a Friday.",
)
FACTS = (
    "It runs for two hours.",
    "The story is set in a small town by the sea.",
    "It was filmed in Portugal and Spain.",
    "The director also wrote the screenplay.",
    "Most of it takes place on a train.",
    "It follows three sisters over one summer.",
    "A detective looks for a missing painter.",
    "The year is 1947.",
    "There are subtitles in four languages.",
    "The house in the hills appears again and again.",
    "Half of the dialogue is in French.",
    "It is based on a novel from the thirties.",
    "A second part has been announced.",
    "The credits list more than forty musicians.",
    "The main character works in a bakery.",
    "Two brothers inherit a hotel.",
    "It was made for television.",
    "The cinema was about half full.",
    "There is a dog in it.",
    "They shot it in black and white.",
)
"""Sentences that neither praise nor blame."""

ONSETS = _words("bl br cl dr fl gl gr kr pl pr sk sn str thr tr vr zw")
MIDDLES = _words("ab aff ap eb eff eld im imb ock olb omp umb urv")
ENDINGS = _words("ish ous some ent ic al y")
MADE_UP = len(ONSETS) * len(MIDDLES) * len(ENDINGS)
"""The number of possible made-up words; odd, so that no syllable tells whether a word's number is even."""


def made_up_word(number: int) -> str:
    """An adjective that is not English. Even numbers blame and odd ones praise; no syllable tells which.

    >>> made_up_word(0), made_up_word(1), made_up_word(2)
    ('blabish', 'snaffous', 'glapsome')
    """
    spread = number * 1009 % MADE_UP  # neighbours look different
    rest, ending = divmod(spread, len(ENDINGS))
    onset, middle = divmod(rest, len(MIDDLES))
    return ONSETS[onset] + MIDDLES[middle] + ENDINGS[ending]
