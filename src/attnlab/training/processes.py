"""This process among those that torchrun started. A single process is rank 0 of 1."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import Any, TypeVar

import torch
from jaxtyping import Int
from torch import Tensor, distributed

from attnlab.errors import ArgumentError
from attnlab.models.devices import find_device
from attnlab.settings import Device
from attnlab.training import torchrun
from attnlab.training.targets import learnt

Result = TypeVar("Result")
PATIENCE = timedelta(days=1)
"""How long processes wait for one another: while the first one tokenises a large text, or scores it, the others wait.
torch's own ten minutes would end them. If a process dies, torchrun ends the others at once."""


@dataclass(frozen=True)
class Process:
    """A process: its rank, the number of all processes, and its device."""

    rank: int
    ranks: int
    device: torch.device

    @property
    def leads(self) -> bool:
        """Whether this process prints and writes files."""
        return self.rank == 0

    def mean(self, value: Tensor) -> Tensor:
        """The mean over all processes, in place."""
        if self.ranks > 1:
            distributed.all_reduce(value)
            value /= self.ranks
        return value

    def weight(self, targets: Int[Tensor, "batch targets"]) -> Tensor:
        """What this process's mean over its targets weighs, so that the mean over the processes is the mean over all
        of their targets: some processes may have more targets that are learnt than others."""
        own = learnt(targets).sum().double()
        return (own / self.mean(own.clone())).float()

    def any(self, value: bool) -> bool:
        """Whether the value is true in any process."""
        return bool(self.mean(torch.tensor(float(value), device=self.device)) > 0)

    def agreed(self, text: str) -> str:
        """The text of the first process, in every process."""
        if self.ranks > 1:
            held = [text]
            distributed.broadcast_object_list(held, device=self.device)
            return held[0]
        return text

    def sure(self, value: bool) -> bool:
        """The value of the first process, in every process: two machines may round differently."""
        return self.agreed("yes" if value else "") == "yes"

    def share(self, batches: Iterator[Callable[[], Result]]) -> Iterator[Result]:
        """The results of batches in their order, in every process; each batch is computed in one of them. A batch is
        the same as with one process, so its result is the same to the last digit."""
        if self.ranks == 1:
            yield from (batch() for batch in batches)
            return
        while group := list(islice(batches, self.ranks)):
            own = group[self.rank]() if self.rank < len(group) else None
            found: list[Any] = [None] * self.ranks
            distributed.all_gather_object(found, own)
            yield from found[: len(group)]

    def wait(self) -> None:
        """Wait until every process is here."""
        if self.ranks > 1:
            distributed.barrier()


ONE_PROCESS = Process(0, 1, torch.device("cpu"))


@contextmanager
def this_process(device: Device = "auto") -> Iterator[Process]:
    """This process, connected with the others for as long as the block runs; if the caller has connected them already,
    they stay connected."""
    ranks, rank = torchrun.ranks(), torchrun.rank()
    wanted = find_device(device)
    where = torch.device(wanted, torchrun.told("LOCAL_RANK", 0)) if wanted == "cuda" else torch.device(wanted)
    if wanted == "cuda":
        torch.cuda.set_device(where)
    connecting = ranks > 1 and not distributed.is_initialized()
    if connecting:
        _connect("nccl" if wanted == "cuda" else "gloo")
    try:
        yield Process(rank, ranks, where)
    finally:
        if connecting:
            distributed.destroy_process_group()


def _connect(backend: str) -> None:
    """Connect with the other processes."""
    try:
        distributed.init_process_group(backend, timeout=PATIENCE)
    except (ValueError, RuntimeError) as error:  # the variables that torchrun sets are missing or wrong
        told = f"cannot connect with the other processes, start with torchrun: {str(error).splitlines()[0]}"
        raise ArgumentError("WORLD_SIZE", told) from error
