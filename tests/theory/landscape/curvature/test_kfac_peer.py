"""KFAC and EKFAC against numbers that curvlinops 3.0.1 computed.

Each row holds :math:`v^T K v` for its ``KFACLinearOperator``, its ``EKFACLinearOperator``, and its
``KFACInverseLinearOperator`` with damping 0.01, exact and heuristic. Networks, data and v are made
from sines, so that nothing depends on a random stream.
"""

import math

import pytest
import torch
from torch import nn

from corollary.theory.landscape.curvature import Landscape, kfac

N = 24  # more than any layer has inputs: no factor is singular by lack of examples


def wave(*shape):
    steps = torch.arange(1, math.prod(shape) + 1, dtype=torch.float64)
    return torch.sin(steps**1.5).reshape(shape)


class Tokens(nn.Module):
    """Linear layers at five positions, averaged."""

    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(4, 5), nn.Linear(5, 3)

    def forward(self, x):
        return self.down(torch.tanh(self.up(x)).mean(1))


def mlp():
    return nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))


def cnn():
    return nn.Sequential(
        nn.Conv2d(2, 3, 3, padding=1, stride=2),
        nn.Tanh(),
        nn.Conv2d(3, 2, 2),
        nn.Tanh(),
        nn.Flatten(),
        nn.Linear(8, 3),
    )


NETWORKS = {"mlp": (mlp, (4,)), "cnn": (cnn, (2, 6, 6)), "tokens": (Tokens, (5, 4))}


def made(name, loss):
    build, shape = NETWORKS[name]
    module = build().double()
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(wave(*p.shape) * 0.5 + 0.1 * i)
    criterion = {"ce": nn.CrossEntropyLoss(), "mse": nn.MSELoss()}[loss]
    target = torch.arange(N) % 3 if loss == "ce" else wave(N, 3)
    return Landscape(module, criterion, (wave(N, *shape), target))


ROWS = {
    ("mlp", "ce", "gauss_newton", "expand"): (0.918302775, 0.868011061, 1528.65825, 676.960232),
    ("mlp", "ce", "empirical", "expand"): (1.56634697, 1.42384697, 1490.62348, 586.42445),
    ("cnn", "ce", "gauss_newton", "expand"): (4.2402688, 5.31774375, 1899.99713, 954.499457),
    ("cnn", "ce", "gauss_newton", "reduce"): (4.18096055, 4.99802155, 3420.99367, 1689.24636),
    ("cnn", "ce", "empirical", "expand"): (5.83200913, 6.80814101, 1611.87778, 812.083846),
    ("cnn", "ce", "empirical", "reduce"): (4.83127315, 6.18605193, 3350.30148, 1628.04219),
    ("tokens", "ce", "gauss_newton", "expand"): (0.675570642, 0.757158848, 1949.50325, 1091.56552),
    ("tokens", "ce", "gauss_newton", "reduce"): (0.770994218, 0.775375915, 1962.82012, 1157.44655),
    ("tokens", "ce", "empirical", "expand"): (0.949400335, 1.24674937, 1857.85603, 957.618086),
    ("tokens", "ce", "empirical", "reduce"): (1.25861951, 1.27532091, 1911.59189, 1073.98491),
    ("mlp", "mse", "gauss_newton", "expand"): (6.14950351, 5.87728324, 504.002048, 205.352703),
    ("cnn", "mse", "gauss_newton", "expand"): (41.6010527, 59.4658664, 347.002617, 189.84201),
    ("tokens", "mse", "gauss_newton", "expand"): (3.11900239, 3.53236383, 975.62535, 425.432775),
}


@pytest.mark.parametrize("case", ROWS, ids=" ".join)
def test_the_numbers_are_those_of_curvlinops(case):
    name, loss, kind, sharing = case
    landscape = made(name, loss)
    K = kfac(landscape, kind, sharing=sharing)
    E = kfac(landscape, kind, sharing=sharing, corrected=True)
    v = wave(landscape.size)
    found = [K, E, K.inverse(0.01), K.inverse(0.01, "factored")]
    assert [float(v @ (A @ v)) for A in found] == pytest.approx(ROWS[case], rel=1e-6)
