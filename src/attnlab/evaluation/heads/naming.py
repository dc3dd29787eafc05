"""Names for heads: only where a score is beyond chance by a margin, and all of its interval, too."""

from collections.abc import Mapping

from attnlab.evaluation.heads.chance import Chance
from attnlab.evaluation.heads.measures import MARGIN, NAMES
from attnlab.evaluation.scoring.intervals import Estimate


def names_of(
    scores: Mapping[str, Estimate], beyond_control: Mapping[str, Estimate], chance: Mapping[str, Chance]
) -> tuple[str, ...]:
    """The names that a head has earned, the clearest first. `beyond_control` is how far a score is above its control;
    it must be above the margin, too."""
    earned: dict[str, float] = {}
    for key, name in NAMES.items():
        found = scores.get(key)
        if found is None or found.low is None or found.low <= chance[key].value + MARGIN:
            continue
        control = beyond_control.get(key)
        if control is None or (control.low is not None and control.low > MARGIN):
            earned[name] = found.value - chance[key].value
    return tuple(sorted(earned, key=lambda name: -earned[name]))
