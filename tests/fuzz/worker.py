"""The process that tries inputs: a line with a kind and a number comes in, a line of JSON goes out."""

import json
import os
import resource
import sys
from dataclasses import asdict
from pathlib import Path

from tests.fuzz.running import tried


def main() -> None:
    """Answer line by line, until the input ends."""
    place = Path(sys.argv[1]).resolve()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not be mistaken for an answer
    for line in sys.stdin:
        kind, number = line.split()
        found = tried(kind, int(number), place)
        room = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        answers.write(json.dumps({**asdict(found), "room": room}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
