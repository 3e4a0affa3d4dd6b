"""Training runs skip the check of shapes, which costs more than a small step."""

import jaxtyping
import pytest


@pytest.fixture
def unchecked(monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
