import torch

from corollary.claims.connectionism.xor import Given, Xor
from corollary.core import Verdict
from corollary.data.xor import xor


def test_one_unit_gets_three_of_four_right():
    x, y = xor()
    result = Xor().check_given(Given(x[None], y))
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == [3.0]


def test_a_kite_is_not_a_parallelogram():
    x, y = xor()
    x[1] = torch.tensor([0.2, 0.2])  # inside the triangle of the others: still three of four
    result = Xor().check_given(Given(x[None], y))
    assert result.verdict is Verdict.INAPPLICABLE
