import pytest
import torch
from torch import nn

from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.scores import margins


def network(*sigmas: nn.Module) -> nn.Sequential:
    torch.manual_seed(0)
    layers: list[nn.Module] = [nn.Linear(5, 12)]
    for sigma in sigmas:
        layers += [sigma, nn.Linear(12, 12)]
    return nn.Sequential(*layers, nn.ReLU(), nn.Linear(12, 3)).double().requires_grad_(False)


@pytest.mark.parametrize("norm, eps", [("linf", 0.15), ("l2", 0.3)])
@pytest.mark.parametrize(
    "sigmas",
    [(nn.ReLU(),), (nn.LeakyReLU(0.2), nn.ReLU()), (nn.Tanh(),), (nn.SELU(),)],
    ids=str,
)
def test_chosen_slopes_are_never_worse_and_stay_below_attacks(sigmas, norm, eps):
    net, x = network(*sigmas), torch.randn(10, 5, generator=torch.Generator().manual_seed(0))
    x = x.double()
    y = net(x).argmax(1)
    certify = Certifier(net, x, norm=norm)
    bounds = [certify.margins(x, y, eps, m) for m in ("crown", "alpha-crown", "full-alpha-crown")]
    assert bool((bounds[1] >= bounds[0]).all()) and bool((bounds[1] > bounds[0]).any())
    assert bool((bounds[2] >= bounds[1] - 1e-3).all())
    attack = PGD(eps, steps=30, norm=norm, box=None, keep="best", objective="margin", start="zero")
    assert bool((margins(net(attack.inputs(net, x, y)), y) >= bounds[2]).all())


def test_the_best_slope_of_one_unit_is_found():
    """Margin 1 + relu(y) - y with y = x in [-1, 3]: slope 1 below gives 1, slope 0 gives -2."""
    net = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 2)).double()
    with torch.no_grad():
        net[0].weight.copy_(torch.tensor([[1.0], [1.0]]))
        net[0].bias.copy_(torch.tensor([0.0, 10.0]))  # the second unit is linear: x + 10
        net[2].weight.copy_(torch.tensor([[1.0, -1.0], [0.0, 0.0]]))
        net[2].bias.copy_(torch.tensor([11.0, 0.0]))
    x, y = torch.tensor([[1.0]]).double(), torch.tensor([0])
    certify = Certifier(net, x)
    assert float(certify.margins(x, y, 2.0, "alpha-crown")) == pytest.approx(1.0)
    narrow = torch.tensor([[-1.0]]).double()  # y in [-3, 1], where CROWN takes slope 0
    assert float(certify.margins(narrow, y, 2.0, "crown")) == pytest.approx(0.0)
    assert float(certify.margins(narrow, y, 2.0, "alpha-crown")) == pytest.approx(1.0)


@pytest.mark.parametrize("method", ["alpha-crown", "full-alpha-crown"])
@pytest.mark.parametrize("shift", [None, 50.0])
def test_where_no_slope_can_be_chosen_the_bound_is_that_of_crown(method, shift):
    torch.manual_seed(0)
    if shift is None:
        net = nn.Linear(4, 3).double()
    else:  # every unit is on
        net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3)).double()
        net[0].bias.data += shift
    x = torch.randn(6, 4).double()
    y = net(x).argmax(1)
    certify = Certifier(net, x)
    assert torch.equal(certify.margins(x, y, 0.05, method), certify.margins(x, y, 0.05, "crown"))


@pytest.mark.parametrize("eps, settled", [(0.01, False), (0.01, True), (0.3, True)])
def test_a_later_layer_may_have_no_unsettled_unit(eps, settled):
    net = network(nn.ReLU())
    if settled:  # every unit of the second hidden layer is on, whatever the first one does
        net[2].bias.data += 50.0
    x = torch.randn(6, 5, generator=torch.Generator().manual_seed(1)).double()
    y = net(x).argmax(1)
    certify = Certifier(net, x)
    full, crown = (certify.margins(x, y, eps, m) for m in ("full-alpha-crown", "crown"))
    assert bool((full >= crown).all())
    corners = x + eps * torch.sign(torch.randn(200, 6, 5, generator=torch.Generator()).double())
    assert bool((margins(net(corners.flatten(0, 1)), y.repeat(200)).view(200, 6) >= full).all())
