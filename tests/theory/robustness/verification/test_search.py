"""Verdicts on networks whose answer is known."""

import pytest
import torch
from torch import nn

from corollary.theory.robustness.verification.properties import Case
from corollary.theory.robustness.verification.search import verify


def tent(d):
    """The sum of |x_i| over the inputs: at most d on the unit box, and d is attained."""
    net = nn.Sequential(nn.Linear(d, 2 * d, bias=False), nn.ReLU(), nn.Linear(2 * d, 1, bias=False))
    with torch.no_grad():
        net[0].weight.copy_(torch.cat([torch.eye(d), -torch.eye(d)]))
        net[2].weight.fill_(1.0)
    return net.double().requires_grad_(False)


def at_least(level, d):
    """Unsafe: an output of this level or more."""
    one = torch.ones(d, dtype=torch.float64)
    row = torch.tensor([[-1.0]], dtype=torch.float64)
    return Case(-one, one, row, torch.tensor([-level], dtype=torch.float64))


@pytest.mark.parametrize("d", [2, 30])  # boxes are cut; units are split
def test_a_level_below_the_maximum_is_reached_and_one_above_is_not(d):
    net = tent(d)

    def check(x):
        return float(net(x[None])) >= level

    level = d - 0.01
    found = verify(net, [at_least(level, d)], check, seconds=20)
    assert found.name == "sat"
    assert float(net(found.example[None])) >= level
    assert verify(net, [at_least(d + 0.01, d)], check, seconds=20).name == "unsat"


def test_rows_must_hold_together():
    """Neither |x| <= 0.2 nor |x| >= 0.8 is excluded alone; together they are."""
    one = torch.ones(1, dtype=torch.float64)
    rows = torch.tensor([[1.0], [-1.0]], dtype=torch.float64)
    case = Case(-one, one, rows, torch.tensor([0.2, -0.8], dtype=torch.float64))
    assert verify(tent(1), [case], lambda x: True, seconds=20).name == "unsat"


def test_a_point_that_fails_the_check_is_no_counterexample():
    found = verify(tent(2), [at_least(1.0, 2)], lambda x: False, seconds=0.5)
    assert found.name == "unknown"


@pytest.mark.parametrize("d", [2, 30])
def test_an_attack_that_takes_all_of_the_time_is_no_error(d):
    found = verify(tent(d), [at_least(d + 0.01, d)], lambda x: False, seconds=1e-6)
    assert found.name in ("unsat", "unknown")
