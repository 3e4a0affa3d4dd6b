"""What can be examined is found without running it."""

import pytest

from corollary.lab.targets import offer

NET = """
raise SystemExit("this file must not be run")
import torch
def build(): ...
def with_default(n=3, *, m=4): ...
def needs(n): ...
def needs_named(*, n): ...
def _hidden(): ...
class Net(torch.nn.Module):
    def __init__(self, n=2): ...
class Needs(torch.nn.Module):
    def __init__(self, n): ...
class Other: ...
"""


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "net.py").write_text(NET)
    (inside / "broken.py").write_text("def (")
    (inside / "points.npz").write_bytes(b"")
    return inside


def test_what_can_be_called_is_offered(folder):
    targets = offer(folder).targets
    assert {"net.py:build", "net.py:with_default", "net.py:Net"} <= set(targets)
    assert not any(name in t for t in targets for name in ("eeds", "_hidden", "Other", "broken"))
    assert "points.npz" in offer(folder).data
