"""Exponents of the depth: the sums of theory, by brute force and by hand."""

import pytest

from corollary.theory.scaling.abc import Optimizer
from corollary.theory.scaling.depth import DepthRule, depth_exponents, transferring


@pytest.mark.parametrize("optimizer", Optimizer)
@pytest.mark.parametrize("norms", [False, True])
def test_with_the_rule_the_output_moves_as_much_at_every_depth(optimizer, norms):
    found = depth_exponents(transferring(optimizer), optimizer, norms=norms, last_norm=norms)
    assert (found.activation, found.logits) == (0, 0)
    assert found.update == -0.5  # one block of many moves less


@pytest.mark.parametrize(
    ("alpha", "c", "optimizer", "last_norm", "logits"),
    [
        (0.0, 0.0, Optimizer.SGD, False, 1.0),  # L blocks, each of order one
        (0.0, 0.0, Optimizer.SGD, True, 0.0),  # the norm divides gradient and change
        (0.0, 0.0, Optimizer.ADAM, True, 0.5),
        (0.5, 0.0, Optimizer.ADAM, False, 0.5),  # Adam does not see the factor of the branch
        (1.0, 0.0, Optimizer.SGD, False, -1.0),  # blocks that learn nothing
        (1.0, 0.0, Optimizer.ADAM, False, 0.0),
    ],
)
def test_sums_over_blocks_worked_by_hand(alpha, c, optimizer, last_norm, logits):
    rule = DepthRule(alpha, c)
    assert depth_exponents(rule, optimizer, norms=True, last_norm=last_norm).logits == logits
