"""Speed: operations counted by hand, and no share of a peak that is not known."""

import torch

from attnlab.models.kinds import make_model
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.training.speed import PEAKS, operations_per_token, share_of_peak

SMALL = TransformerConfig(layers=2, heads=1, width=4, context=8)


def test_operations_of_a_transformer():
    inner = 2 * (12 * 4 * 4)  # two layers: queries, keys, values and what puts them together, and up and down
    assert operations_per_token(make_model(SMALL, 10)) == 6 * (inner + 4 * 10) + 12 * 2 * 4 * 8


def test_a_tied_read_out_is_multiplied_with_and_positions_are_not():
    tied = TransformerConfig(layers=2, heads=1, width=4, context=8, tied=True, positions="learned", bias=True)
    assert operations_per_token(make_model(tied, 10)) == operations_per_token(make_model(SMALL, 10))


def test_operations_of_a_recurrent_model():
    assert operations_per_token(make_model(RecurrentConfig(width=4), 10)) == 6 * (3 * 4 * 8 + 4 * 10)


def test_the_share_of_a_gpus_own_peak(monkeypatch):
    model = make_model(SMALL, 10)
    assert share_of_peak(model, 1e6, torch.device("cpu")) is None
    for name, peak in (("NVIDIA H200", PEAKS["H200"]), ("NVIDIA H100 PCIe", 756e12), ("Another", None)):
        monkeypatch.setattr(torch.cuda, "get_device_name", lambda device, name=name: name)
        found = share_of_peak(model, 1e6, torch.device("cuda"))
        assert found == (operations_per_token(model) * 1e6 / peak if peak else None)
