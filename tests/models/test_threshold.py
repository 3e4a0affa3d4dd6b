import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.threshold import Heaviside, Sign, ThresholdUnit

Z = torch.tensor([-torch.inf, -2.0, -1e-300, 0.0, 1e-300, 3.0, torch.inf], dtype=torch.float64)


def test_heaviside_is_one_at_zero_and_that_of_torch():
    assert Heaviside()(torch.zeros(1)).item() == 1
    assert torch.equal(Heaviside()(Z), torch.heaviside(Z, torch.ones_like(Z)))


def test_the_sign_is_twice_heaviside_minus_one_only_with_sign_one_at_zero():
    assert torch.equal(Sign()(Z), 2 * Heaviside()(Z) - 1)
    assert not torch.equal(Sign(at_zero=0)(Z), 2 * Heaviside()(Z) - 1)
    assert torch.equal(Sign(at_zero=0)(Z), torch.sign(Z))
    assert Sign(at_zero=-1)(torch.zeros(1)).item() == -1


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")  # torch's own jvp
@pytest.mark.parametrize("phi", [Heaviside(), Sign(), Sign(at_zero=0)])
def test_the_gradient_is_exactly_zero_and_can_be_asked_for_twice(phi):
    z = Z[1:-1].clone().requires_grad_(True)
    (first,) = torch.autograd.grad(phi(z).sum(), z, create_graph=True)
    assert bool((first == 0).all())
    assert bool((torch.func.vmap(torch.func.grad(phi))(z.detach()) == 0).all())
    _, tangent = torch.func.jvp(phi, (z.detach(),), (torch.ones_like(z),))
    assert bool((tangent == 0).all())


def test_a_unit_gives_bits_or_signs():
    theta, x = torch.tensor([1.0, -2.0]), torch.tensor([[2.0, 1.0], [0.0, 1.0]])
    assert ThresholdUnit(theta)(x).tolist() == [1, 0]
    assert ThresholdUnit(theta, encoding="signs")(x).tolist() == [1, -1]


def test_training_a_threshold_network_leaves_its_first_layer_where_it_was():
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(50, 3, generator=rng)
    net = nn.Sequential(nn.Linear(3, 8), Heaviside(), nn.Linear(8, 1))
    with torch.no_grad():
        for p in net.parameters():
            p.normal_(generator=rng)
    before = [p.detach().clone() for p in net.parameters()]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        (net(x)[:, 0] - x[:, 0]).square().mean().backward()
        optimizer.step()
    same = [torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True)]
    assert same == [True, True, False, False]


def test_other_signs_of_zero_and_encodings_are_refused():
    with pytest.raises(InputError, match="-1, 0 or 1, got at_zero=2"):
        Sign(at_zero=2)
    with pytest.raises(InputError, match="'bits' or 'signs', got 'trits'"):
        ThresholdUnit(torch.ones(2), encoding="trits")
