"""Losses that are called with what they do not take, and the same with what they do."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary import examine
from corollary.core import Severity


def loudest(model, data, loss, exam):
    done = examine(model, data, loss=loss, only=exam, effort="quick", progress=False)
    return max(done.findings, key=lambda f: f.severity.rank)


def classes(c):
    return lambda out, y: F.cross_entropy(out, y, ignore_index=c)


def ctc(first):
    def loss(out, y):
        lengths = torch.full((len(y),), out.shape[1]), torch.full((len(y),), y.shape[1])
        return F.ctc_loss(out.log_softmax(-1).transpose(0, 1), y + first, *lengths)

    return loss


def signed(scale, shift):
    return lambda out, y: F.margin_ranking_loss(out[:, 0], out[:, 1], scale * y.float() + shift)


CASES = {
    "blank among the targets": (ctc(0), ctc(1), (5, 4), 3, "blank"),
    "a class is ignored": (classes(0), classes(-100), (4,), 1, "ignores class 0"),
    "labels of ranks": (signed(1, 0), signed(2, -1), (2,), 1, "1 and -1"),
}


@pytest.mark.parametrize("name", CASES)
def test_arguments_that_a_loss_does_not_take_are_told(name):
    wrong, right, shape, labels, words = CASES[name]
    rng = torch.Generator().manual_seed(0)
    n = torch.Size(shape).numel()
    model = nn.Sequential(nn.Linear(3, n), nn.Unflatten(1, shape))
    y = torch.randint(2 if len(shape) == 1 else 3, (64, labels), generator=rng)
    data = torch.randn(64, 3, generator=rng), y[:, 0] if labels == 1 else y
    found = loudest(model, data, wrong, "soundness/loss_arguments")
    assert found.severity is Severity.HIGH and words in found.title
    assert loudest(model, data, right, "soundness/loss_arguments").severity is Severity.NONE


@pytest.mark.parametrize("other", [0, 1])
def test_a_view_that_is_never_compared_is_told(other):
    model = nn.Sequential(nn.Linear(3, 8), nn.Unflatten(1, (2, 4)))
    data = torch.randn(32, 3), torch.zeros(32)

    def loss(z, _):
        return F.cross_entropy(z[:, 0] @ z[:, other].T, torch.arange(len(z)))

    found = loudest(model, data, loss, "soundness/loss_and_targets")
    assert (found.severity is Severity.HIGH) == (other == 0)
