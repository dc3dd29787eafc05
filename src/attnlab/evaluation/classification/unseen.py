"""Experiments on words that a classifier may not see or may ignore: unknown words, negations, order."""

import numpy as np

from attnlab.evaluation.classification.denials import cuts, denials
from attnlab.evaluation.classification.experiments import ErrorTrial, signed
from attnlab.evaluation.classification.pushes import Pushes
from attnlab.evaluation.classification.reasons import Experiment
from attnlab.numbers import whole_percent

STRONG = 0.99
"""Unknown words are replaced by the word at this quantile of the vocabulary, ranked by support for the label."""
HIGH = 0.05
"""With a smaller share of unknown words, they are no reason: nearly every long text has names. Of the reviews held out
of IMDB's training half, one in twenty reaches this share."""
MOSTLY = 0.5
"""From this share of unknown words on, no other reason is needed."""
HEEDED = 0.5
"""A negation is heeded if, without it, the negated words push farther by at least this share of their push."""
STAYS = 0.25
"""The score stays if it moves by less than this share of the difference between the halves."""
SHUFFLES = 8
MOST_WORDS = 1 << 23
"""A long text is cut at fewer of its words of contrast: its length times their number is at most this."""


def unknown_words(trial: ErrorTrial) -> Experiment:
    """Unknown words: most are, or many are and strong words for the label in their places fix the error."""
    ids = trial.text.ids
    share = float((ids == 0).mean())
    numbers = {"unknown_share": share}
    if share == 0:
        return Experiment("unknown words", False, numbers, "every word is known")
    names = tuple(dict.fromkeys(form for form, id in zip(trial.text.forms, ids, strict=True) if id == 0))[:10]
    for_label = Pushes(trial.asker, ids, trial.label).slope()
    table = [part.table[1 : trial.asker.features.tokenizer.size] for part in trial.asker.model.parts]
    votes = sum(
        (rows @ slope.astype(np.float32) for rows, slope in zip(table, for_label, strict=True)), start=np.zeros(())
    )
    strong = int(votes.argsort()[int(STRONG * (len(votes) - 1))]) + 1
    (score,), (ahead,) = trial.ask(np.where(ids == 0, strong, ids))
    word = trial.asker.features.tokenizer.vocabulary[strong - 1]
    numbers |= {"log_odds": trial.pushes.score, "log_odds_spoken_for_label": score}
    tried = f"with “{word}” for each of them the log-odds go from {signed(trial.pushes.score)} to {signed(score)}"
    decided = f"from {whole_percent(MOSTLY)} on, no other reason is needed" if share >= MOSTLY else tried
    told = f"{whole_percent(share)} of its words are unknown; {decided}"
    return Experiment(
        "unknown words", share >= MOSTLY or (share >= HIGH and ahead <= trial.turned), numbers, told, names
    )


def negation(trial: ErrorTrial) -> Experiment:
    """Negation: the score hardly moves without the negations, but reversing the negated words fixes the error."""
    ids, each = trial.text.ids, trial.pushes.removal
    inside = [
        (first, stop, stop + int(np.argmax(each[stop:end])))
        for first, stop, end in denials(trial.text.forms)
        if end > stop and each[stop:end].max() > 0
    ]
    if not inside:
        return Experiment("negation", False, {}, "no negated word speaks for the predicted class")
    flipped = np.delete(ids, np.concatenate([np.arange(first, stop) for first, stop, _ in inside]))
    denied = [word for _, _, word in inside]
    silent = ids.copy()
    silent[denied] = 0
    (after, without), _ = trial.ask(flipped, silent)
    score = trial.pushes.score
    push, moved = score - without, after - score
    turned = score - 2 * push
    numbers = {"log_odds": score, "log_odds_without_denial": after, "push_of_denied": push, "log_odds_turned": turned}
    words = tuple(" ".join(trial.text.forms[first : word + 1]) for first, _, word in inside)
    told = (
        f"without the negation the log-odds move by {signed(moved)}; the negated words push {signed(push)}; "
        f"with that push reversed, {signed(score)} would be {signed(turned)}"
    )
    return Experiment("negation", push > 0 and moved < HEEDED * push and turned <= trial.turned, numbers, told, words)


def order(trial: ErrorTrial) -> Experiment:
    """Order: of two contrasting halves one is classified right, and swapping them makes no difference."""
    ids, found = trial.text.ids, cuts(trial.text.forms)
    if not found:
        return Experiment("order", False, {}, "the text has no word of contrast")
    tried = min(len(found), max(MOST_WORDS // len(ids), 1))
    places = [found[len(found) * n // tried] for n in range(tried)]
    draws = np.random.default_rng(0)
    halves = [half for place in places for half in (ids[:place], ids[place:])]
    shuffled = [draws.permutation(ids) for _ in range(SHUFFLES)]
    score = trial.pushes.score
    scores, ahead = trial.ask(*halves, *[np.concatenate([ids[n:], ids[:n]]) for n in places], *shuffled)
    count = len(places)
    best = max(range(count), key=lambda n: -ahead[2 * n] * ahead[2 * n + 1])
    first, second, swapped = scores[2 * best], scores[2 * best + 1], scores[2 * count + best]
    mean_moved = float(np.abs(np.array(scores[3 * count :]) - score).mean())
    against = min(ahead[2 * best : 2 * best + 2]) <= trial.turned < 0 < max(ahead[2 * best : 2 * best + 2])
    stays = abs(swapped - score) < STAYS * abs(first - second)
    numbers = {
        "log_odds": score,
        "first_half": first,
        "second_half": second,
        "swapped": swapped,
        "shuffled": mean_moved,
    }
    told = (
        f"the halves alone have log-odds {signed(first)} and {signed(second)}; swapped, they move by "
        f"{signed(swapped - score)}, with all words shuffled by {mean_moved:.2f}"
        + (f" ({tried:,} of {len(found):,} words of contrast were tried)" if tried < len(found) else "")
    )
    return Experiment("order", against and stays, numbers, told, (trial.text.forms[places[best]],))
