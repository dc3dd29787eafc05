"""This process among those that torchrun started. A single process is rank 0 of 1."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, distributed

from attnlab.models.devices import find_device
from attnlab.settings import Device


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

    def any(self, value: bool) -> bool:
        """Whether the value is true in any process."""
        return bool(self.mean(torch.tensor(float(value), device=self.device)) > 0)

    def wait(self) -> None:
        """Wait until every process is here."""
        if self.ranks > 1:
            distributed.barrier()


@contextmanager
def this_process(device: Device = "auto") -> Iterator[Process]:
    """This process, connected with the others for as long as the block runs."""
    rank, ranks = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    wanted = find_device(device)
    where = torch.device(wanted, int(os.environ.get("LOCAL_RANK", "0"))) if wanted == "cuda" else torch.device(wanted)
    if wanted == "cuda":
        torch.cuda.set_device(where)
    if ranks > 1:
        distributed.init_process_group("nccl" if wanted == "cuda" else "gloo")
    try:
        yield Process(rank, ranks, where)
    finally:
        if ranks > 1:
            distributed.destroy_process_group()
