import math

import pytest
import torch

from corollary.claims.sequences.positional_shift import Given, PositionalShift
from corollary.core import Verdict


def test_a_quarter_turn_by_hand():
    """Frequency pi/2 and shift 1: (sin 0, cos 0) = (0, 1) becomes (1, 0)."""
    omega = torch.tensor([math.pi / 2], dtype=torch.float64)
    given = Given(torch.zeros(1, dtype=torch.float64), 1.0, omega, omega)
    result = PositionalShift().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize(("pairs", "base"), [(1, 2.0), (32, 1e4), (4, 10.0)])
def test_it_holds_for_other_widths_and_bases(pairs, base):
    assert PositionalShift(pairs=pairs, base=base, T=200).check(1).verdict is Verdict.HOLDS
