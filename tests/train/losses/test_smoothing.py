import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.tricks.label_smoothing import uniform_smoothing
from corollary.train.losses import LabelSmoothing

G = torch.Generator().manual_seed(0)
O = torch.randn(9, 4, generator=G, dtype=torch.float64)  # noqa: E741
Y = torch.randint(4, (9,), generator=G)


@pytest.mark.parametrize("eps", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_the_uniform_case_is_torchs(eps, reduction):
    ours = LabelSmoothing(eps, reduction=reduction)(O, Y)
    peer = nn.CrossEntropyLoss(label_smoothing=eps, reduction=reduction)
    torch.testing.assert_close(ours, peer(O, Y))


def test_a_matrix_of_the_uniform_case_is_the_uniform_case():
    ours = LabelSmoothing(Pi=uniform_smoothing(4, 0.2))(O, Y)
    torch.testing.assert_close(ours, LabelSmoothing(0.2)(O, Y))


def test_the_best_prediction_is_the_confused_distribution_of_the_labels():
    Pi = torch.tensor([[0.8, 0.1, 0.0], [0.2, 0.6, 0.3], [0.0, 0.3, 0.7]], dtype=torch.float64)
    p = torch.tensor([[0.5, 0.3, 0.2]], dtype=torch.float64)
    o = (p @ Pi.T).log().requires_grad_()
    (gradient,) = torch.autograd.grad(LabelSmoothing(Pi=Pi)(o, p), o)
    assert float(gradient.abs().max()) < 1e-15
    torch.testing.assert_close(torch.softmax(o, 1).detach(), p @ Pi.T)


def test_matrices_that_are_not_stochastic_or_do_not_fit_are_refused():
    with pytest.raises(InputError, match="column"):
        LabelSmoothing(Pi=torch.tensor([[0.9, 0.1], [0.3, 0.7]]))
    with pytest.raises(InputError, match="classes"):
        LabelSmoothing(Pi=torch.eye(3))(O, Y)
    with pytest.raises(InputError, match="either"):
        LabelSmoothing()
    with pytest.raises(InputError, match="eps"):
        LabelSmoothing(1.5)
