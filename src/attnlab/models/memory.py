"""Whether a model fits into the memory of this machine. Its settings tell, before anything is made."""

import contextlib
import os
import resource
from pathlib import Path
from typing import TYPE_CHECKING

from attnlab.errors import ArgumentError

if TYPE_CHECKING:  # a classifier has a model, and does without torch
    import torch

LIMIT = Path("/sys/fs/cgroup/memory.max")
"""The most memory that a container may use, on Linux."""
NUMBER = 4
"""The bytes of a parameter."""
COUNTED = 40
"""The bytes that counting n-grams takes for each token, at least."""
COUNTED_AT_MOST = 130
"""The bytes that it takes where most n-grams occur once, at order 5."""
IN_MEMORY = 1 << 29
"""A text whose n-grams take more bytes is counted on disk, if there is a folder for it."""
TRAINED = 3
"""Training keeps at least a gradient and a momentum for each parameter."""
USUAL = 2.5
"""How many numbers a training step usually keeps for each that it must keep: 1.7 in bfloat16, 3 in float32."""
LARGE = 10**9
"""A training that needs more bytes than this is told before it begins."""


def check_memory(
    parameters: int,
    *,
    trained: bool = False,
    activations: int = 0,
    tables: int = 0,
    device: "torch.device | None" = None,
) -> None:
    """Raise if a model of this size cannot fit into memory. `activations` are the numbers that a training step keeps,
    and `tables` those that the model makes of the positions in its context. Only a model that surely does not fit is
    refused: its true need is larger than what is counted here.

    >>> check_memory(10**13)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    attnlab.errors.ArgumentError: model: 10,000,000,000,000 parameters need about 40,000 GB, ... has ... GB; choose ...
    """
    needed = NUMBER * ((TRAINED if trained else 1) * parameters + activations + tables)
    room = memory_bytes(device)
    if needed <= room:
        return
    where = "this GPU" if device is not None and device.type == "cuda" else "this machine"
    batch = " with this batch" if trained and activations else ""
    context = f" and {_words(tables)} angles of positions" if tables > parameters else ""
    told = f"{_words(parameters)} parameters{batch}{context} need about {_words(needed // 10**9)} GB"
    raise ArgumentError("model", f"{told}, {where} has {_words(room // 10**9)} GB; choose smaller sizes")


def large_training(parameters: int, activations: int) -> str:
    """A warning before a training that needs much memory, though the machine has it; empty if it needs little.

    >>> large_training(10**6, 10**7), large_training(10**8, 10**9)
    ('', 'this training takes 11 GB of memory or more; fewer layers, a smaller width or a smaller batch take less')
    """
    needed = NUMBER * (TRAINED * parameters + USUAL * activations)
    if needed <= LARGE:
        return ""
    room = f"{needed / 10**9:.0f} GB of memory or more"
    return f"this training takes {room}; fewer layers, a smaller width or a smaller batch take less"


def check_counting(tokens: int) -> None:
    """Raise if the n-grams of a text of this length cannot be counted in the memory of this machine."""
    needed, room = COUNTED * tokens, memory_bytes()
    if needed > room:
        told = f"counting the n-grams of {tokens:,} tokens needs about {needed // 10**9:,} GB"
        raise ArgumentError("text", f"{told}, this machine has {room // 10**9:,} GB; train on a part of the text")


def counts_in_memory(tokens: int) -> bool:
    """Whether the n-grams of a text of this length are counted in memory.

    >>> counts_in_memory(10**6), counts_in_memory(10**9)
    (True, False)
    """
    return COUNTED_AT_MOST * tokens <= min(IN_MEMORY, memory_bytes() // 2)


def memory_bytes(device: "torch.device | None" = None) -> int:
    """The memory of this machine, or of a GPU, in bytes; or what this process may use of it (`ulimit -v`)."""
    if device is not None and device.type == "cuda":
        import torch

        return torch.cuda.get_device_properties(device).total_memory
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY:
        whole = min(whole, allowed)
    with contextlib.suppress(OSError, ValueError):  # no such file, or the word max: no limit
        return min(whole, int(LIMIT.read_text()))
    return whole


def _words(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"10^{len(str(number)) - 1}"
