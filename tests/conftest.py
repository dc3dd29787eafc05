"""Under test every shape in a signature is checked (jaxtyping with beartype)."""

import sys
from types import ModuleType

import jaxtyping
import pytest
import torch
from beartype import BeartypeConf, beartype

# The tests' tensors are small: a second thread would only wait for the first, and worse where the machine is busy.
torch.set_num_threads(1)

# jaxtyping takes its checker by name. Ours lets an int stand for a float, as Python does.
_checker = ModuleType("attnlab_shape_checker")
_checker.check = beartype(conf=BeartypeConf(is_pep484_tower=True))  # pyright: ignore[reportAttributeAccessIssue]
sys.modules["attnlab_shape_checker"] = _checker
jaxtyping.install_import_hook("attnlab", "attnlab_shape_checker.check")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One process takes all tests of a file, which share what they made; and one all those of the claims, since running
    every claim is the longest of all."""
    for item in items:
        file = item.path.relative_to(item.config.rootpath).as_posix()
        item.add_marker(pytest.mark.xdist_group("claims" if file.startswith("tests/claims/") else file))


@pytest.fixture
def as_installed():
    """Shapes unchecked, as a user has it: for the tests of what attnlab itself says about bad input."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
