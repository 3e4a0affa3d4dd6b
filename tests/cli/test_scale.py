"""``corollary scale`` as the shell sees it."""

import json

import pytest
from typer.testing import CliRunner

from corollary.cli import app
from corollary.errors import InputError

NETWORK = """
import torch
from torch import nn

def build(width):
    x = torch.linspace(-1, 1, 16).reshape(8, 2)
    model = nn.Sequential(nn.Linear(2, width), nn.ReLU(), nn.Linear(width, 1))
    return model, (x, x[:, :1])

def broken(width):
    raise RuntimeError("no heads")

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(16, 16)

    def forward(self, x):
        return x + 4 * torch.relu(self.inner(x))

def deep(depth):
    x = torch.linspace(-1, 1, 16).reshape(8, 2)
    blocks = [Block() for _ in range(depth)]
    return nn.Sequential(nn.Linear(2, 16), *blocks, nn.Linear(16, 1)), (x, x[:, :1])

layers = 3
"""
WORDS = ("--widths", "16,32,64,128", "--seeds", "2")


@pytest.fixture
def net(tmp_path):
    path = tmp_path / "scaled_net.py"
    path.write_text(NETWORK)
    return path


def call(*words):
    return CliRunner().invoke(app, ["scale", *map(str, words)])


def test_verdict_page_and_json_say_the_same(net, tmp_path):
    page, file = tmp_path / "page.html", tmp_path / "scale.json"
    done = call(f"{net}:build", *WORDS, "--lr", "0.1", "--out", page, "--json", file)
    plain = json.loads(file.read_text())
    assert done.exit_code == 1 and plain["status"] == "blows up"
    assert plain["sentence"].split(":")[0] in done.stdout.replace("\n", " ")
    text = page.read_text("utf-8")
    assert "Blows up at layer" in text and "With this change" in text and "<svg" in text


def test_json_alone_on_standard_output(net):
    done = call(f"{net}:build", *WORDS, "--lr", "0.1", "--no-confirm", "--json", "-")
    assert json.loads(done.stdout)["confirmed"] is None


def test_the_depth_is_checked_by_a_function_of_the_depth(net):
    words = ("--depth", "--depths", "2,4,8,16", "--seeds", "2", "--lr", "0.01", "--no-confirm")
    done = call(f"{net}:deep", *words)
    assert done.exit_code == 1 and "grows like the depth to the power" in done.stdout
    assert "*.inner" in done.stdout and "scale_branch(block, depth**-0.5)" in done.stdout


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("build", ("--widths", "16,x"), "expected sizes such as 64,128,256,512, got '16,x'"),
        ("broken", (), "raised RuntimeError for width 128: no heads"),
        ("layers", (), "to be a function of the width"),
        ("build", ("--widths", "16,32"), "at least four growing widths"),
    ],
)
def test_mistakes_are_told_in_a_sentence(net, name, words, said):
    done = call(f"{net}:{name}", *words)
    assert isinstance(done.exception, InputError) or "Option" in type(done.exception).__name__
    assert said in str(done.exception)
