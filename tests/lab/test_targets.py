"""What can be examined is found without running it, and nothing outside the folder can be."""

import pytest

from corollary.errors import InputError
from corollary.lab.targets import DEMO, checked_data, checked_loss, checked_target, offer

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
    (tmp_path / "secret.py").write_text("def build(): ...")
    (inside / "link.py").symlink_to(tmp_path / "secret.py")
    return inside


def test_what_can_be_called_is_offered(folder):
    targets = offer(folder).targets
    assert {"net.py:build", "net.py:with_default", "net.py:Net"} <= set(targets)
    assert not any(name in t for t in targets for name in ("eeds", "_hidden", "Other", "broken"))
    assert "points.npz" in offer(folder).data


def test_the_demo_needs_no_file(folder):
    assert checked_target("demo", folder) == checked_target("", folder) == DEMO


def test_targets_of_the_folder_are_taken(folder):
    assert checked_target("net.py:build", folder) == "net.py:build"
    assert checked_data("digits", folder) == "digits"
    assert checked_data("points.npz", folder) == "points.npz"
    assert checked_loss("mse", folder) == "mse"


@pytest.mark.parametrize(
    "target",
    [
        "../secret.py:build",
        "link.py:build",
        "os:system",
        "net.py",
        "gone.py:build",
        "/etc/passwd",
        "net.txt:build",
        "subprocess:run",
    ],
)
def test_what_lies_elsewhere_is_refused(folder, target):
    with pytest.raises(InputError):
        checked_target(target, folder)


@pytest.mark.parametrize("data", ["../x.npz", "/etc/passwd", "os:environ", "x.pkl"])
def test_data_from_elsewhere_is_refused(folder, data):
    with pytest.raises(InputError):
        checked_data(data, folder)


def test_a_loss_from_elsewhere_is_refused(folder):
    with pytest.raises(InputError):
        checked_loss("os:system", folder)
