import torch
from torch import _VF, nn

from corollary.theory.modules.differentiable import differentiable


def second_derivative(module, x):
    out = module(x)
    out = out[0] if isinstance(out, tuple) else out
    parameters = list(module.parameters())
    first = torch.autograd.grad(out.pow(2).sum(), parameters, create_graph=True)
    return torch.autograd.grad(sum(g.pow(2).sum() for g in first), parameters)


def test_an_lstm_and_a_convolution_have_second_derivatives():
    torch.manual_seed(0)
    with differentiable(), differentiable():  # nested use is fine
        assert len(second_derivative(nn.LSTM(3, 4), torch.randn(5, 2, 3))) == 4
        assert len(second_derivative(nn.Conv2d(1, 2, 3), torch.randn(2, 1, 8, 8))) == 2
    assert "lstm" not in vars(_VF)


def test_the_value_of_an_lstm_is_the_same_and_convolutions_keep_their_kernels():
    torch.manual_seed(0)
    lstm, x = nn.LSTM(3, 4), torch.randn(5, 2, 3)
    with differentiable():
        inside = lstm(x)[0]
        assert torch._C._get_mkldnn_enabled()
    torch.testing.assert_close(inside, lstm(x)[0])
