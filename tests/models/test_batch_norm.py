import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.batch_norm import BatchNorm


def normal(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def pair(peer, features):
    ours = BatchNorm(features, 1e-3, 0.3, dtype=torch.float64)
    theirs = peer(features, eps=1e-3, momentum=0.3, dtype=torch.float64)
    with torch.no_grad():
        for a, b, seed in ((ours.alpha, theirs.weight, 5), (ours.beta, theirs.bias, 6)):
            a.copy_(normal(features, seed=seed))
            b.copy_(a)
    return ours, theirs


@pytest.mark.parametrize(
    ("peer", "shape"), [(nn.BatchNorm1d, (7, 3)), (nn.BatchNorm2d, (4, 3, 5, 2))]
)
def test_outputs_gradients_and_running_statistics_are_those_of_torch(peer, shape):
    ours, theirs = pair(peer, 3)
    for seed in range(3):
        z, slope = 2 + normal(*shape, seed=seed).requires_grad_(), normal(*shape, seed=9)
        torch.testing.assert_close(ours(z), theirs(z))
    expected = torch.autograd.grad(theirs(z), (z, theirs.weight, theirs.bias), slope)
    for found in (
        torch.autograd.grad(ours(z), (z, ours.alpha, ours.beta), slope),
        ours.gradient(z, slope),
    ):
        for a, b in zip(found, expected, strict=True):
            torch.testing.assert_close(a, b)
    torch.testing.assert_close(ours.running_mean, theirs.running_mean)
    torch.testing.assert_close(ours.running_var, theirs.running_var)
    torch.testing.assert_close(ours.eval()(z), theirs.eval()(z))


def test_the_batch_has_mean_0_and_variance_v_over_v_plus_delta():
    z = torch.tensor([[-1.0], [1.0]], dtype=torch.float64)  # v = 1
    out = BatchNorm(1, 1.0, dtype=torch.float64)(z).detach()
    assert float(out.mean()) == 0 and float(out.var(correction=0)) == pytest.approx(0.5)


def test_scaling_and_shifting_the_input_changes_nothing_without_delta():
    z = normal(6, 2)
    norm = BatchNorm(2, 0.0, dtype=torch.float64)
    torch.testing.assert_close(norm(3 * z + 4), norm(z))


def test_the_unbiased_form_divides_by_one_less():
    z = normal(6, 2)
    both = [BatchNorm(2, 0.0, unbiased=u, dtype=torch.float64)(z) for u in (True, False)]
    torch.testing.assert_close(both[0] * (6 / 5) ** 0.5, both[1])


def test_a_batch_of_one_is_refused_while_training_only():
    norm = BatchNorm(3)
    with pytest.raises(InputError, match=r"more than one value.*\.eval\(\)"):
        norm(torch.zeros(1, 3))
    assert norm.eval()(torch.zeros(1, 3)).shape == (1, 3)


def test_wrong_shapes_and_options_are_refused():
    with pytest.raises(InputError, match="expected 3 features"):
        BatchNorm(3)(torch.zeros(4, 2))
    with pytest.raises(InputError, match="delta >= 0"):
        BatchNorm(3, -1.0)
