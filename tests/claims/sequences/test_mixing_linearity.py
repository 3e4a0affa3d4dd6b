import torch
from torch import nn

from corollary.claims.sequences.mixing_linearity import Given, MixingLinearity
from corollary.core import Verdict


def test_a_difference_filter_by_hand():
    """f(x)_i = x_{i+1} - x_{i-1}; X = (1, 2, 4), Y = (1, 1, 1), 2 f(X) + 3 f(Y) = (7, 6, -7)."""
    layer = nn.Conv1d(1, 1, 3, padding=1, bias=False).double().requires_grad_(False)
    layer.weight.data.copy_(torch.tensor([[[-1.0, 0.0, 1.0]]]))
    X, Y = torch.tensor([[1.0], [2.0], [4.0]]).double(), torch.ones(3, 1).double()
    result = MixingLinearity().check_given(Given(X, Y, 2.0, 3.0, layer))
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == [7.0, 6.0, -7.0]


def test_frozen_weights_make_attention_linear():
    assert MixingLinearity(layer="frozen").check(0).verdict is Verdict.HOLDS


def test_drawing_does_not_touch_the_global_generator():
    before = torch.get_rng_state()
    MixingLinearity().check(0)
    assert torch.equal(torch.get_rng_state(), before)
