import pytest
import torch
from torch import nn

from corollary.theory.modules.differentiable import differentiable


def second_derivative(module, x):
    out = module(x)
    out = out[0] if isinstance(out, tuple) else out
    parameters = list(module.parameters())
    first = torch.autograd.grad(out.pow(2).sum(), parameters, create_graph=True)
    return torch.autograd.grad(sum(g.pow(2).sum() for g in first), parameters)


class Watches(nn.Module):
    """Notes whether the fast kernels are on when it is called."""

    def __init__(self):
        super().__init__()
        self.fast = []

    def forward(self, x):
        self.fast.append(torch._C._get_mkldnn_enabled())
        return x


class WatchingLSTM(nn.LSTM):
    """Notes the same from inside an LSTM."""

    def forward(self, x):
        self.fast = torch._C._get_mkldnn_enabled()
        if len(x) == 1:
            raise RuntimeError("a sequence of one")
        return super().forward(x)


def test_an_lstm_and_a_convolution_have_second_derivatives():
    torch.manual_seed(0)
    with differentiable(), differentiable():  # nested use is fine
        assert len(second_derivative(nn.LSTM(3, 4), torch.randn(5, 2, 3))) == 4
        assert len(second_derivative(nn.Conv2d(1, 2, 3), torch.randn(2, 1, 8, 8))) == 2


def test_only_an_lstm_gives_up_its_fast_kernel_and_its_value_is_the_same():
    torch.manual_seed(0)
    lstm, watch, x = WatchingLSTM(3, 4), Watches(), torch.randn(5, 2, 3)
    with differentiable(), differentiable():
        inside = lstm(watch(x))[0]
        watch(x)
    assert watch.fast == [True, True] and not lstm.fast
    torch.testing.assert_close(inside, lstm(x)[0])
    assert lstm.fast


def test_fast_kernels_are_back_after_an_error():
    with differentiable():
        with pytest.raises(RuntimeError, match="one"):
            WatchingLSTM(3, 4)(torch.randn(1, 2, 3))
        assert torch._C._get_mkldnn_enabled()
