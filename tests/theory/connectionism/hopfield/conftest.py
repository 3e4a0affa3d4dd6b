import jaxtyping
import pytest


@pytest.fixture
def without_shape_checks(monkeypatch):
    """Calls as a user makes them, outside of tests: our own errors have to come."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
