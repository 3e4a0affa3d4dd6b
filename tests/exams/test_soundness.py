"""What is wrong is placed where it is, in words that fit."""

import torch
from torch import nn
from torch.nn import functional as F

from corollary.examine.examiner import examine

X, Y = torch.randn(64, 10), torch.arange(64) % 3


def only(exam, model, data=(X, Y), **about):
    return examine(model, data, only=f"soundness/{exam}", budget=60, **about).findings


class Noise(nn.Module):
    """Adds noise to its input, whatever the mode."""

    def forward(self, x):
        return F.dropout(x, 0.5)


def test_the_module_that_draws_is_named_and_not_those_after_it():
    model = nn.Sequential(nn.Linear(10, 8), nn.Sequential(Noise(), nn.ReLU()), nn.Linear(8, 3))
    (finding,) = only("determinism", model)
    assert finding.where == "1.0" and "Make '1.0' deterministic" in finding.advice


def test_frozen_tensors_are_placed_in_the_module_that_holds_them_all():
    model = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 3))
    model[0].requires_grad_(False)
    frozen = only("parameters", model)[0]
    assert (frozen.where, frozen.number) == ("0", "2 of 4 tensors")


def test_nan_in_the_data_is_told_by_its_share():
    x = X.clone()
    x[0] = float("nan")
    (finding,) = only("inputs", nn.Linear(10, 3), (x, Y))
    assert finding.number == "1.6 % of all values" and finding.where == "input 0"


def test_complex_numbers_are_compared_with_their_own_range():
    model = nn.Linear(10, 3, dtype=torch.complex64)
    (finding,) = only("precision", model, X.to(torch.complex64))
    assert "3.4e+38, the largest complex64 number" in finding.expected


def test_a_loss_that_broadcasts_is_told_with_both_shapes():
    model, y = nn.Linear(10, 1), X.sum(1)
    stretched = only("loss_reduction", model, (X, y), loss=lambda o, t: ((o - t) ** 2).mean())
    assert stretched[0].title == "Each output is compared with every target"
    assert "(32, 1) and targets of shape (32,)" in stretched[0].meaning
    for loss in (None, lambda o, t: ((o.squeeze(1) - t) ** 2).mean()):
        (fine,) = only("loss_reduction", model, (X, y), loss=loss)
        assert fine.title == "The loss is a mean over samples"


def test_a_loss_that_is_nan_is_neither_a_sum_nor_a_mean():
    x = X.clone()
    x[0] = float("nan")
    (finding,) = only("loss_reduction", nn.Linear(10, 3), (x, Y))
    assert finding.status == "not applicable" and "is nan" in finding.meaning
