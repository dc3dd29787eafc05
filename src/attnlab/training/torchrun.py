"""What torchrun tells a process in the environment: how many processes there are, and which of them this one is.
Without torch."""

import os

from attnlab.errors import ArgumentError, shortened


def ranks() -> int:
    """The number of processes; 1 without torchrun."""
    return told("WORLD_SIZE", 1, least=1)


def rank() -> int:
    """The number of this process, from 0. The only process is 0: RANK then says nothing, whoever has set it."""
    every = ranks()
    own = told("RANK", 0) if every > 1 else 0
    if own >= every:
        raise ArgumentError("RANK", f"expected a rank below WORLD_SIZE, {every}; got {own}; torchrun sets both")
    return own


def told(name: str, usual: int, least: int = 0) -> int:
    """A number that torchrun sets in the environment, or the usual one."""
    given = os.environ.get(name, str(usual))
    if not (given.isdecimal() and len(given) < 10 and least <= int(given)):
        expected = f"expected a whole number of at least {least}, got {shortened(given)}"
        raise ArgumentError(name, f"{expected}; torchrun sets this variable of the environment: unset it")
    return int(given)
