"""Kills at random moments, and two processes at once."""

import os
import random
import signal
import time
from pathlib import Path

from tests.faults.trials import NOTHING_YET, Ended, Tally, Trials, content, finish, start

from attnlab.runs.folder import Run

BUSY = ("another process is writing into this folder", "expected a new or empty folder", "has created it meanwhile")
"""The lines that a second process may get."""


def random_kill(trials: Trials, number: int, tally: Tally) -> None:
    """Kill a command, and often the command that continues it, at random moments; then go on, and compare."""
    draws, case = random.Random(f"{trials.case.name} {number}"), trials.case
    trials.fresh()
    ended = _killed(trials, case.words, draws)
    if draws.random() < 0.5:
        words = case.resume if case.resume and any(trials.folder.rglob("config.json")) else case.words
        ended = _killed(trials, words, draws)
    trials.judge(ended, f"{case.name}, killed at a random moment, number {number}", tally)


def _killed(trials: Trials, words, draws: random.Random) -> Ended:
    child = start(trials.case, trials.folder, words)
    time.sleep(draws.random() * trials.seconds)
    os.kill(child, signal.SIGKILL)
    ended = finish(trials.folder, child)
    refused = any(each in ended.error for each in (*NOTHING_YET, trials.case.complete or "--resume continues"))
    return Ended(-signal.SIGKILL, "", "", [], []) if refused else ended


def read_beside(run: Path, child: int) -> list[str]:
    """Open a run again and again while a process writes into it, as `runs`, `sample` and a page of the studio do.
    Returns the errors that told of a lost file, and of measurements that the page did not get or got twice."""
    from attnlab.benches import language
    from attnlab.errors import AttnlabError
    from attnlab.studio.following import Followed, look

    wrong, followed, steps = [], Followed("run", run, None, None), []

    def follow() -> None:
        (news,) = look([followed])
        if news["state"] == "failed":
            wrong.append(f"the studio beside it: {news['now']}")
        if news["again"]:
            steps.clear()
        steps.extend(step for step, _ in news["training"])

    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        try:
            if (run / "config.json").exists():
                wrong += [row.state for row in language.runs(run).rows if row.state.startswith("damaged")]
                follow()
                language.open_model(str(run)).sample("the", 2)
        except AttnlabError as error:
            wrong += [] if "no checkpoint yet" in str(error) else [f"a reader beside it: {error}"]
        except Exception as error:
            wrong.append(f"a reader beside it: {error!r}")
    if (run / "config.json").exists():
        follow()
        measured = [each["step"] for each in Run(run).metrics() if "loss" in each]
        wrong += [] if steps == measured else [f"the studio beside it has the steps {steps}, the file {measured}"]
    return wrong


def two_at_once(trials: Trials, number: int, tally: Tally) -> None:
    """Two processes with one --out, or two that continue the same run: one of them works, the other is refused."""
    draws, case = random.Random(number), trials.case
    trials.fresh()
    words = case.words
    if number % 2:
        _killed(trials, case.words, draws)
        words = case.resume if any(trials.folder.glob("run/*.json")) else case.words
    first = start(case, trials.folder, words)
    time.sleep(draws.random() * 0.3 * trials.seconds)
    second = start(case, trials.folder, words, "second")
    if case.name.startswith("train ") and "--seeds" not in case.name:
        tally.unclear += read_beside(trials.folder / "run", first)
    ends = [finish(trials.folder, first), finish(trials.folder, second, "second")]
    tally.points += 1
    where = f"{case.name}, two at once, number {number}"
    if not any(each.code == 0 for each in ends):
        tally.lost.append(f"{where}: {ends[0].error} {ends[1].error}")
    for each in ends:
        if each.code and not (each.code == 2 and any(words in each.error for words in BUSY)):
            tally.unclear.append(f"{where}: exit {each.code}: {each.error[-200:]}")
    found = content(trials.folder)
    if wrong := [name for name in trials.whole if found.get(name) != trials.whole[name]]:
        tally.lost.append(f"{where}: {', '.join(wrong[:3])}")
    if extra := found.keys() - trials.whole.keys():
        tally.stray.append(f"{where}: {', '.join(sorted(extra)[:3])}")
