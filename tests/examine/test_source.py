"""Lines are compared with the text that stands on them."""

import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from corollary.examine.modules import load_module
from corollary.examine.source import places_of

SAMPLE = Path(__file__).parents[1] / "testing" / "sample"


@pytest.fixture
def folder(monkeypatch):
    monkeypatch.chdir(SAMPLE)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name in ("net", "layers"):
        sys.modules.pop(name, None)


def lines(target, *wheres):
    """The text at the place of each layer, without what surrounds it."""
    model, _ = load_module(target)
    found = places_of(model, target, wheres)
    text = {w: Path(file).read_text().splitlines()[n - 1] for w, (file, n) in found.items()}
    return {w: line.strip().rstrip(",") for w, line in text.items()}, found


def test_a_layer_is_where_the_class_assigns_it(folder):
    text, found = lines("net.py:build", "head", "head.weight", "scale", "out", "body")
    assert text == {
        "": "def build():",
        "head": "self.head = nn.Linear(32, 2)",
        "head.weight": "self.head = nn.Linear(32, 2)",
        "scale": "self.scale = nn.Parameter(torch.ones(2))",
        "out": "self.out = nn.Softmax(dim=1)",
        "body": "self.body = Body()",
    }
    assert {file for file, _ in found.values()} == {"net.py"}


def test_a_layer_of_another_file_is_there(folder):
    text, found = lines("net.py:Net", "body.net.0.weight", "body.net.1")
    assert text["body.net.0.weight"] == "nn.Linear(2, 32)" and text["body.net.1"] == "nn.ReLU()"
    assert found["body.net.1"][0] == "layers.py" and text[""] == "class Net(nn.Module):"


def test_an_element_of_a_sequence_is_where_the_function_writes_it(folder):
    text, _ = lines("net.py:healthy", "0", "2.0.bias", "3.weight")
    assert text["0"] == "nn.Linear(2, 32)" and text["3.weight"] == "nn.Linear(8, 2)"
    assert text["2.0.bias"] == "nn.Sequential(nn.Linear(32, 8), nn.ReLU())"


def test_a_sequence_that_another_function_of_the_file_writes_is_found_if_it_is_the_only_one(folder):
    text, _ = lines("net.py:frozen", "3", "2.0.bias")
    assert text[""] == "def frozen():" and text["3"] == "nn.Linear(8, 2)"
    assert text["2.0.bias"] == "nn.Sequential(nn.Linear(32, 8), nn.ReLU())"


def test_a_module_in_a_file_is_where_it_is_assigned(folder):
    text, _ = lines("net.py:model", "head")
    assert text[""] == "model = Net()" and text["head"].startswith("self.head")


def test_what_cannot_be_found_has_the_place_of_the_target(folder):
    text, _ = lines("net.py:build", "input 0", "nowhere.at.all")
    assert set(text.values()) == {"def build():"}


def test_layers_made_by_a_loop_have_the_place_of_the_target(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = "from torch import nn\n\ndef build():\n    parts = [nn.Linear(2, 2) for _ in 'abc']\n"
    (tmp_path / "looped.py").write_text(source + "    return nn.Sequential(*parts)\n")
    model = nn.Sequential(*(nn.Linear(2, 2) for _ in range(3)))
    assert places_of(model, "looped.py:build", ["1"]) == {
        "": ("looped.py", 3),
        "1": ("looped.py", 3),
    }


def test_a_target_without_code_has_no_places():
    assert places_of(torch.nn.Linear(1, 1), "model.safetensors", ["weight"]) == {}
    assert places_of(torch.nn.Linear(1, 1), "a.module.that:is_not_there", []) == {}
