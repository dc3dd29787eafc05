"""Under test every shape in a signature is checked (jaxtyping with beartype)."""

import jaxtyping
import pytest

jaxtyping.install_import_hook("attnlab", "beartype.beartype")


@pytest.fixture
def as_installed():
    """Shapes unchecked, as a user has it: for the tests of what attnlab itself says about bad input."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
