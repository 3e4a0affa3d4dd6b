from fractions import Fraction

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.errors import InputError, NotApplicableError
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.lipschitz import lipschitz_certificate
from corollary.theory.robustness.certificates.operator_norms import convolution_norm, matrix_norm
from corollary.theory.robustness.flip import DeepFool

OPTIONS = [
    {},
    {"stride": (2, 2), "padding": (1, 1)},
    {"stride": (3, 2), "padding": (0, 2)},
    {"dilation": (2, 2), "padding": (2, 2)},
    {"groups": 2, "padding": (1, 1)},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_the_norm_of_a_convolution_is_bounded_closely_from_above(options):
    rng = torch.Generator().manual_seed(0)
    groups = options.get("groups", 1)
    weight = torch.randn(6, 4 // groups, 3, 3, generator=rng, dtype=torch.float64)
    basis = torch.eye(4 * 81, dtype=torch.float64).view(-1, 4, 9, 9)
    exact = float(torch.linalg.matrix_norm(F.conv2d(basis, weight, **options).flatten(1), 2))
    bound = convolution_norm(weight, (9, 9), **options)
    assert exact <= bound <= 1.25 * exact


def test_norms_are_above_the_exact_ones_by_rational_arithmetic():
    """Integer matrices W: c I - W W' has an exact determinant, all leading ones positive."""
    rng = torch.Generator().manual_seed(0)
    for n, k in ((1, 1), (2, 5), (5, 4), (6, 6)):
        w = torch.randint(-9, 10, (n, k), generator=rng)
        bound = matrix_norm(w.double())
        c = Fraction(bound) ** 2
        rows = [
            [(c if i == j else 0) - v for j, v in enumerate(r)]
            for i, r in enumerate((w @ w.T).tolist())
        ]
        assert all(pivot >= 0 for pivot in pivots(rows))
        assert bound <= float(torch.linalg.matrix_norm(w.double(), 2)) * (1 + 1e-8)


def pivots(rows: list[list[Fraction]]) -> list[Fraction]:
    """Of elimination; all are positive just for positive definite matrices."""
    found = []
    for i in range(len(rows)):
        found.append(rows[i][i])
        for j in range(i + 1, len(rows)):
            share = rows[j][i] / rows[i][i]
            rows[j] = [b - share * a for a, b in zip(rows[i], rows[j], strict=True)]
    return found


def test_a_margin_that_rounding_made_certifies_no_radius():
    """In real numbers class 1 is ahead; sums in float32 lose the 1 beside 2^25."""
    net = nn.Linear(3, 2)
    with torch.no_grad():
        net.weight.copy_(torch.tensor([[2.0**25, -1.0, -(2.0**25)], [0.0, 0.0, 0.0]]))
        net.bias.copy_(torch.tensor([0.0, -0.5]))
    x = torch.ones(1, 3)
    assert net(x).argmax() == 0
    found = lipschitz_certificate(Certifier(net, x, norm="l2"))
    assert float(found.radius(x, torch.tensor([0]))) == 0


def test_one_axis_works_and_three_do_not():
    weight = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0)).double()
    basis = torch.eye(3 * 12, dtype=torch.float64).view(-1, 3, 12)
    exact = float(torch.linalg.matrix_norm(F.conv1d(basis, weight, stride=2).flatten(1), 2))
    bound = convolution_norm(weight, (12,), stride=(2,), padding=(0,), dilation=(1,))
    assert exact <= bound <= 1.25 * exact
    with pytest.raises(InputError, match="axes"):
        convolution_norm(torch.ones(1, 1, 1, 1, 1), (2, 2, 2))


class Shortcut(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return torch.cat([x, 0.5 * x - self.inner(x)], 1)


NETS = {
    "plain": lambda: nn.Sequential(nn.Flatten(), nn.Linear(50, 8), nn.GELU(), nn.Linear(8, 3)),
    "image": lambda: nn.Sequential(
        nn.Conv2d(2, 4, 3, 2, 1),
        nn.BatchNorm2d(4),
        nn.SiLU(),
        nn.MaxPool2d(2, 1),
        nn.ConvTranspose2d(4, 2, 2),
        nn.Tanh(),
        nn.AvgPool2d(2, 1),
        nn.Flatten(),
        nn.LazyLinear(3),
    ),
    "corners": lambda: nn.Sequential(
        nn.Flatten(),
        nn.Linear(50, 8),
        nn.SELU(),
        nn.Linear(8, 8),
        nn.Hardswish(),
        nn.Linear(8, 8),
        nn.Softshrink(0.1),
        nn.Softsign(),
        nn.Linear(8, 3),
    ),
    "shortcut": lambda: nn.Sequential(
        Shortcut(nn.Conv2d(2, 2, 3, padding=1)),
        nn.LeakyReLU(),
        nn.Flatten(),
        nn.Linear(100, 3),
        nn.LogSoftmax(1),
    ),
}


@pytest.mark.parametrize("name", NETS)
def test_the_constant_is_above_every_gradient_and_the_radius_below_every_attack(name):
    torch.manual_seed(0)
    net, x = NETS[name](), torch.rand(12, 2, 5, 5)
    net(x)
    net, x = net.double().eval(), x.double()
    y = net(x).argmax(1)
    certificate = lipschitz_certificate(Certifier(net, x, norm="l2"))
    logits = net[:-1] if isinstance(net[-1], nn.LogSoftmax) else net
    slopes = torch.func.vmap(torch.func.jacrev(lambda z: logits(z[None])[0]))(x).flatten(2)
    assert float(torch.linalg.matrix_norm(slopes.detach(), 2).max()) <= certificate.constant
    found = DeepFool("l2", box=None)(net, x, y)
    radius = certificate.radius(x, y)
    assert bool((radius[found.fooled] <= found.size("l2")[found.fooled]).all())
    assert bool((radius > 0).all())


def test_a_wrong_answer_has_radius_zero():
    net = nn.Linear(2, 3)
    x = torch.rand(4, 2)
    y = net(x).argmin(1)
    assert not lipschitz_certificate(Certifier(net, x)).radius(x, y).any()


def test_layer_normalisation_has_no_constant_and_is_named():
    net = nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3), nn.Linear(3, 2))
    with pytest.raises(NotApplicableError, match="'layer_norm' in '1'"):
        lipschitz_certificate(Certifier(net, torch.rand(1, 2)))
