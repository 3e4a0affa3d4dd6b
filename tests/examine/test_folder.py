"""Words from elsewhere reach nothing outside the folder."""

import pytest

from corollary.errors import InputError
from corollary.examine.folder import (
    checked_data,
    checked_loss,
    checked_record,
    checked_target,
    checked_weights,
)
from corollary.examine.modules import DEMO


@pytest.fixture
def folder(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for place in (inside, inside / "model", outside):
        place.mkdir()
    for name in ("net.py", "points.npz", "run.jsonl", "w.pt", "model/config.json"):
        (inside / name).write_text("")
    for name in ("secret.py", "secret.npz", "config.json"):
        (outside / name).write_text("")
    (inside / "link.py").symlink_to(outside / "secret.py")
    (inside / "link.npz").symlink_to(outside / "secret.npz")
    (inside / "away").symlink_to(outside)
    (inside / "circle.py").symlink_to(inside / "circle.py")
    return inside


def test_the_demo_needs_no_file(folder):
    assert checked_target("demo", folder) == checked_target("", folder) == DEMO


def test_what_is_in_the_folder_is_taken(folder):
    assert checked_target("net.py:build", folder) == "net.py:build"
    assert checked_target("model", folder) == checked_weights("model", folder) == "model"
    assert checked_data("digits", folder) == "digits"
    assert checked_data("points.npz", folder) == "points.npz"
    assert checked_loss("mse", folder) == "mse"
    assert checked_weights("w.pt", folder) == "w.pt"
    assert checked_record("run.jsonl", folder) == (folder / "run.jsonl").resolve()


@pytest.mark.parametrize(
    "target",
    [
        "../outside/secret.py:build",
        "link.py:build",
        "away/secret.py:build",
        "away",
        "circle.py:build",
        "os:system",
        "net.py",
        "gone.py:build",
        "/etc/passwd",
        "net.txt:build",
        "subprocess:run",
        "net\x00.py:build",
        "a" * 5000 + ".py:build",
    ],
)
def test_what_lies_elsewhere_is_refused_in_one_line(folder, target):
    with pytest.raises(InputError) as told:
        checked_target(target, folder)
    assert len(str(told.value)) <= 400 and "\x00" not in str(told.value)


@pytest.mark.parametrize(
    "data", ["../outside/secret.npz", "link.npz", "/etc/passwd", "os:environ", "x.pkl"]
)
def test_data_from_elsewhere_is_refused(folder, data):
    with pytest.raises(InputError):
        checked_data(data, folder)


def test_a_loss_and_weights_from_elsewhere_are_refused(folder):
    with pytest.raises(InputError):
        checked_loss("os:system", folder)
    for weights in ("away", "/etc/passwd", "../outside/w.pt"):
        with pytest.raises(InputError):
            checked_weights(weights, folder)
