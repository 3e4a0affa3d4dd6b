import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.ntk_mlp import NTKMLP


def draw(*shape):
    return torch.randn(*shape, generator=generator(0, "ntk mlp", *shape), dtype=torch.float64)


@pytest.mark.parametrize("phi", [torch.relu, torch.tanh])
def test_it_equals_a_standard_network_with_rescaled_weights_but_has_other_gradients(phi):
    net, x = NTKMLP([3, 40, 40, 2], sigma_b=0.4, phi=phi, rng=generator(0)), draw(5, 3)
    twin = net.standard()
    assert torch.allclose(net(x), twin(x))
    net(x).sum().backward()
    twin(x).sum().backward()
    ours, theirs = net.weights[1].grad, twin[2].weight.grad
    assert torch.allclose(ours, net.scales[1] * theirs)  # the factor stands in the gradient too


def test_the_variance_does_not_depend_on_the_width():
    x = torch.ones(1, 4, dtype=torch.float64)
    for n in (10, 100):
        rng = generator(0, "variance", n)
        f = torch.stack([NTKMLP([4, n, 1], rng=rng)(x).detach()[0, 0] for _ in range(1500)])
        assert (f**2).mean() == pytest.approx(2.0, abs=0.5)


def test_fan_out_scaling_grows_with_the_width():
    """The notes' scaling at sigma_w = sigma_b = 1: about n/2, where the fan-in gives 2."""
    x, found = torch.ones(1, 4, dtype=torch.float64), []
    for n in (50, 200):
        rng = generator(0, "fan out", n)
        options = {"sigma_w": 1.0, "sigma_b": 1.0, "scaling": "fan_out", "rng": rng}
        f = torch.stack([NTKMLP([4, n, 1], **options)(x).detach()[0, 0] for _ in range(800)])
        found.append(float((f**2).mean()))
    assert found[0] > 20 and found[1] / found[0] > 2.5


def test_widths_need_an_input_and_an_output():
    with pytest.raises(InputError, match="widths"):
        NTKMLP([3], rng=generator(0))
