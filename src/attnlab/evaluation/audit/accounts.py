"""Two checks of a measurement: it counts every byte once, and the first token too."""

import math

import torch

from attnlab.evaluation.audit.byte_ledger import ByteLedger
from attnlab.evaluation.audit.certificate import Check
from attnlab.evaluation.audit.probes import tolerance
from attnlab.evaluation.scoring.costs import Costs
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.text import Encoding


def every_byte(found: ByteLedger) -> Check:
    """Checks that the tokens cover every byte of the raw file once."""
    numbers = {name: each for name, each in found.to_dict().items() if isinstance(each, int)}
    if not found.balanced:
        return Check("every byte counted once", False, "; ".join(found.faults), numbers)
    said = f"{found.tokens:,} tokens cover the file's {found.file_bytes:,} bytes"
    special = {
        "end inside a character": found.split_tokens,
        "cover no byte": found.empty_tokens,
    }
    said += "".join(f"; {count:,} {words}" for words, count in special.items() if count)
    if not found.places:
        said += "; only the total can be checked"
    if not found.exact:
        said += f"; decoding them does not give the text back: {found.lost}"
    return Check("every byte counted once", True, said, numbers)


def first_token(subject: Subject, encoding: Encoding, measured: Costs | None = None) -> Check:
    """Checks that the measurement counts the first token, at its right cost."""
    size = subject.predictor.size
    numbers = {"start": subject.start, "size": size}
    if subject.start is not None and not 0 <= subject.start < size:
        said = f"the start token is {subject.start}, but the model knows only the tokens 0 to {size - 1:,}"
        return Check("first token", False, said, numbers)
    nats = _first_nats(subject, encoding)
    numbers["nats"] = nats
    if measured is not None:
        missing = len(encoding) - len(measured.nats)
        if missing:
            said = f"expected a cost for each of {len(encoding):,} tokens, got {len(measured.nats):,} costs"
            return Check("first token", False, said, numbers)
        found = float(measured.nats[0])
        if not abs(found - nats) <= tolerance(subject.predictor, torch.tensor(nats)):
            said = f"the first token was measured at {found:.6g} nats, but it costs {nats:.6g} nats"
            return Check("first token", False, said, numbers | {"charged": found})
    if subject.start is None:
        said = f"counted as one of {size:,} equally likely tokens: ln {size:,} = {nats:.4g} nats"
    else:
        said = f"predicted from the model's start token ({subject.start:,}): {nats:.4g} nats"
    return Check("first token", True, said, numbers)


def _first_nats(subject: Subject, encoding: Encoding) -> float:
    if subject.start is None:
        return math.log(subject.predictor.size)
    ids, first = torch.tensor([[subject.start]]), torch.tensor([[int(encoding.ids[0])]])
    return subject.predictor.nats(ids, first).item()
