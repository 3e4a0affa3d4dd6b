import numpy as np
import pytest
import torch
from scipy.special import rel_entr, softmax

from corollary.errors import InputError
from corollary.theory.networks.information import entropy
from corollary.theory.tricks.distillation import (
    distillation,
    distillation_gradient,
    high_temperature_gradient,
)
from corollary.theory.tricks.label_smoothing import (
    check_stochastic,
    optimal_gap,
    smoothed,
    uniform_smoothing,
)


def logits(seed=0):
    rng = torch.Generator().manual_seed(seed)
    return 3 * torch.randn(6, 4, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize("T", [0.5, 1.0, 4.0])
def test_the_loss_is_the_teachers_entropy_plus_a_divergence(T):
    F, G = logits(), logits(1)
    p, q = softmax(F.numpy() / T, axis=1), softmax(G.numpy() / T, axis=1)
    expected = entropy(torch.from_numpy(p)).numpy() + rel_entr(p, q).sum(axis=1)
    np.testing.assert_allclose(distillation(G, F, T), expected, rtol=1e-12)


@pytest.mark.parametrize("T", [0.5, 1.0, 4.0])
def test_the_gradient_is_that_of_autograd(T):
    F, G = logits(), logits(1).requires_grad_()
    (found,) = torch.autograd.grad(distillation(G, F, T).sum(), G)
    torch.testing.assert_close(found, distillation_gradient(G.detach(), F, T))


def test_the_loss_is_least_where_student_and_teacher_agree_up_to_a_constant():
    F = logits()
    least = distillation(F + 5.0, F, 2.0)
    assert float(distillation_gradient(F + 5.0, F, 2.0).abs().max()) < 1e-15
    assert bool((distillation(logits(1), F, 2.0) > least).all())


def test_at_high_temperature_the_gradient_is_a_difference_of_centred_logits():
    F, G = logits(), logits(1)
    exact, leading = distillation_gradient(G, F, 1e4), high_temperature_gradient(G, F, 1e4)
    torch.testing.assert_close(exact, leading, rtol=1e-2, atol=1e-12)


def test_the_printed_loss_is_to_be_maximised():
    """Erratum: without its minus sign the loss is largest, not least, at the teacher."""
    F = logits()
    printed = -distillation(F, F), -distillation(logits(1), F)
    assert bool((printed[0] > printed[1]).all())


@pytest.mark.parametrize("k, eps", [(2, 0.1), (10, 0.3)])
def test_the_softmax_of_the_optimal_gap_is_the_smoothed_label(k, eps):
    o = np.zeros(k)
    o[0] = optimal_gap(k, eps)
    target = smoothed(torch.eye(k, dtype=torch.float64)[0], uniform_smoothing(k, eps))
    np.testing.assert_allclose(softmax(o), target, rtol=1e-12)


def test_hard_labels_have_no_finite_gap_and_full_smoothing_none_at_all():
    assert optimal_gap(3, 0.0) == float("inf") and optimal_gap(3, 1.0) == 0.0


def test_matrices_whose_columns_are_no_distributions_are_refused():
    rows = torch.tensor([[0.9, 0.1], [0.3, 0.7]])  # rows sum to 1, columns do not
    with pytest.raises(InputError, match="column 0"):
        check_stochastic(rows)
    with pytest.raises(InputError, match=">= 0"):
        check_stochastic(torch.tensor([[1.5, 0.0], [-0.5, 1.0]]))
    with pytest.raises(InputError, match="eps"):
        uniform_smoothing(3, 1.5)
