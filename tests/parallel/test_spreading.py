"""Tasks in several processes: the results of one process, its errors, its progress, and a quick end."""

import os
import pickle
import signal
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.parallel import work

from attnlab.errors import ArgumentError, AttnlabError, FileError, StoppedError
from attnlab.parallel import ONE_CORE, Task, Workers, spread, spreading
from attnlab.progress import SILENT, Observer, WatchedTask
from attnlab.training.loop import DivergedError


@pytest.fixture(autouse=True)
def _worth_it(monkeypatch):
    """Processes are worth their start, however short the work, on every machine; they find these tests."""
    monkeypatch.setattr(spreading, "START", -1.0)
    monkeypatch.setattr(spreading, "cores", lambda: 4)
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))


class Seen(Observer):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.warned: list[str] = []
        self.tasks: list[str] = []

    def warn(self, text: str) -> None:
        self.warned.append(text)

    @contextmanager
    def task(self, what: str, total: float | None = None):
        self.tasks.append(what)
        yield WatchedTask()


def numbers(count: int, *first: object) -> list[Task]:
    return [Task(f"task {n}", (*first, n), 1.0) for n in range(count)]


def test_several_processes_give_the_results_of_one_and_tell_their_progress():
    alone, shared = Seen(), Seen()
    one = dict(spread(work.squared, numbers(4), Workers(1), alone))
    two = dict(spread(work.squared, numbers(4), Workers(2), shared))
    assert {n: value for n, (value, _) in one.items()} == {n: value for n, (value, _) in two.items()}
    assert {process for _, process in one.values()} == {os.getpid()}
    assert os.getpid() not in {process for _, process in two.values()}
    assert alone.warned == [f"squaring {n}" for n in range(4)]
    assert sorted(shared.warned) == [f"task {n}: squaring {n}" for n in range(4)]
    assert set(shared.tasks) == {f"task {n}" for n in range(4)}


def test_an_error_of_another_process_is_that_of_this_one():
    with pytest.raises(FileError, match=r"^notes.txt, line 3: expected a number$") as error:
        list(spread(work.failing, numbers(3), Workers(2), SILENT))
    assert error.value.line == 3


def test_the_end_of_a_process_is_told():
    with pytest.raises(AttnlabError, match=r"^the system ended a process, .* fewer --jobs need less memory$"):
        list(spread(work.dying, numbers(3), Workers(2), SILENT))


def test_ctrl_c_lets_tasks_save_and_starts_no_more(tmp_path):
    def press() -> None:
        while len(list(tmp_path.glob("began-*"))) < 2:
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    with pytest.raises(StoppedError, match=r"^stopped; to continue: task 0$"):
        list(spread(work.saving, numbers(4, tmp_path), Workers(2), SILENT, saves=tmp_path))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["began-0", "began-1", "saved-0", "saved-1"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_caller_that_wants_no_more_ends_the_processes():
    began = time.monotonic()
    found = spread(work.saving, numbers(4, Path(os.devnull).parent / "nowhere"), Workers(2), SILENT)
    with pytest.raises(FileNotFoundError):
        next(found)
    assert time.monotonic() - began < 60


def lasting(*seconds: float, threads: int | None = 1) -> list[Task]:
    return [Task("", (), each, threads) for each in seconds]


def test_short_work_stays_in_one_process(monkeypatch):
    monkeypatch.setattr(spreading, "START", 5.0)
    assert Workers(0).processes(lasting(2.0, 2.0, 2.0)) == 1
    assert Workers(0).processes(lasting(20.0, 20.0, 20.0)) == 3
    assert Workers(0).processes(lasting(100.0, 0.1)) == 1, "the longest task alone takes as long"
    assert Workers(0).processes(lasting(7.0, 7.0)) == 2
    assert Workers(0).processes(lasting(7.0, 7.0, threads=2)) == 1, "two threads need half of the time"
    assert ONE_CORE > 1e9


@pytest.mark.parametrize(
    ("jobs", "threads", "processes"),
    [(0, 1, 4), (2, 1, 2), (9, 1, 4), (0, 2, 2), (9, 2, 2), (0, 4, 1), (2, 4, 1), (2, 8, 1)],
)
def test_all_threads_together_are_at_most_as_many_as_the_cores(jobs, threads, processes):
    """An explicit number, too, is only the most."""
    assert Workers(jobs).processes(lasting(*[20.0] * 9, threads=threads)) == processes


def test_a_gpu_has_room_for_one_task_or_for_as_many_as_the_user_says():
    assert [Workers(jobs).processes(lasting(20.0, 20.0, 20.0, threads=None)) for jobs in (0, 2, 9)] == [1, 2, 3]


def test_one_task_on_many_threads_leaves_no_core_for_another_process():
    assert Workers(2).processes([*lasting(20.0, 20.0), *lasting(20.0, threads=4)]) == 1


def test_libraries_use_as_many_threads_in_another_process_as_here(monkeypatch):
    """Otherwise they would add numbers in another order."""
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    tasks = [Task(name, (), 1.0) for name in ("one", "two")]
    here = work.threads_of_libraries(SILENT)
    assert here["OMP_NUM_THREADS"] == "3"
    assert dict(spread(work.threads_of_libraries, tasks, Workers(2), SILENT)) == {0: here, 1: here}


def test_a_negative_number_of_processes_is_an_error():
    with pytest.raises(ArgumentError, match=r"^jobs: expected 0 \(all cores\) or a number of processes, got -1$"):
        Workers(-1)


@pytest.mark.parametrize(
    "error", [ArgumentError("keys", "got 1"), FileError("a.txt", "empty", line=2), DivergedError(3, "the loss is nan")]
)
def test_errors_can_be_sent_to_another_process(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)
