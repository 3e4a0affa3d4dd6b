"""What ``fit`` refuses, and in which words."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from corollary.errors import InputError, InputTypeError
from corollary.train import fit

SGD = partial(torch.optim.SGD, lr=0.1)
x5, y4, empty = torch.zeros(5, 4), torch.zeros(4, 1), torch.zeros(0, 4)
GOOD = {
    "model": nn.Linear(4, 1),
    "data": (torch.ones(23, 4), torch.ones(23, 1)),
    "loss": F.mse_loss,
    "optimizer": SGD,
    "steps": 1,
}


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"data": (empty, empty)}, InputError, "the data is empty"),
        ({"data": (x5, y4)}, InputError, r"the same number of rows.*\(5, 4\), \(4, 1\)"),
        ({"data": (x5, [1, 2])}, InputTypeError, "tuple of Tensor, list"),
        ({"data": ()}, InputTypeError, "tuple of nothing"),
        ({"data": torch.tensor(1.0)}, InputError, "first axis"),
        ({"steps": None}, InputError, "either steps or epochs, got neither"),
        ({"epochs": 2}, InputError, "both steps=1 and epochs=2"),
        ({"steps": 0}, InputError, "steps must be at least 1"),
        ({"steps": 1.5}, InputTypeError, "steps must be a whole number"),
        ({"batch_size": 0}, InputError, "batch_size must be at least 1"),
        ({"accumulate": 0}, InputError, "accumulate must be at least 1"),
        ({"clip": 0.0}, InputError, "clip must be positive"),
        ({"on_nan": "ignore"}, InputError, "expected on_nan to be"),
        ({"rng": "seed"}, InputTypeError, "rng must be"),
        ({"loss": nn.MSELoss(reduction="none")}, InputError, r"got shape \(23, 1\)"),
        ({"loss": lambda o, t: 1.0}, InputTypeError, "got float"),
        ({"loss": lambda o, t: o.detach().mean()}, InputError, "does not depend on any parameter"),
        ({"model": nn.ReLU()}, InputError, "ReLU has nothing to train: it has no parameters"),
        ({"model": nn.Linear(4, 1).requires_grad_(False)}, InputError, "are frozen"),
        ({"model": lambda x: x}, InputTypeError, "must be an nn.Module"),
        ({"optimizer": 0.1}, InputTypeError, "torch optimizer, or a function"),
        ({"optimizer": lambda p: None}, InputTypeError, "got NoneType"),
        ({"optimizer": SGD(nn.Linear(1, 1).parameters())}, InputError, "none of the model's"),
        ({"schedule": 0.5}, InputTypeError, "schedule must be a function"),
        ({"checkpoint": "here"}, InputTypeError, r"checkpoint must be a Checkpoint\(path\)"),
        ({"callbacks": [3]}, InputTypeError, "have on_step"),
        ({"data": DataLoader(range(3)), "batch_size": 2}, InputError, "has its own"),
        ({"data": DataLoader([])}, InputError, "yields no batch"),
    ],
)
def test_bad_input_gets_one_clear_sentence(change, error, words):
    with pytest.raises(error, match=words) as caught:
        fit(**(GOOD | change))
    assert "\n" not in str(caught.value)
