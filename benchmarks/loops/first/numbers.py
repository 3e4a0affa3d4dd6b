"""Numbers that are not finite, dead units and vanishing gradients."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from loops.material import digits, loader, mlp
from loops.planted import Bug, Watch


class Standardized(nn.Module):
    """Divides each example by its spread, without an epsilon."""

    def __init__(self, eps: float) -> None:
        super().__init__()
        self.eps, self.inner = eps, mlp()

    def forward(self, x: Tensor) -> Tensor:
        return self.inner((x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + self.eps))


def constant_example(watch: Watch, broken: bool) -> None:
    model = Standardized(0.0 if broken else 1e-5)
    optimizer = Adam(model.parameters())
    x, y = digits()
    x[1000] = 0.5
    watch(model, optimizer)
    for _ in range(2):
        for a, b in loader(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()


def norm_at_zero(watch: Watch, broken: bool) -> None:
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 16))
    optimizer = SGD(model.parameters(), lr=0.01)
    x, _ = digits()
    watch(model, optimizer)
    for step in range(60):
        a = x[torch.randint(0, len(x), (32,))]
        b = a if step == 40 else a + 0.1 * torch.randn_like(a)
        gap = (model(a) - model(b)).square().sum(1)
        loss = (gap if not broken else gap.sqrt()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def dead_units(watch: Watch, broken: bool) -> None:
    model = mlp()
    if broken:
        nn.init.constant_(model[0].bias, -4.0)
    optimizer = Adam(model.parameters())
    watch(model, optimizer)
    for _ in range(4):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def vanishing(watch: Watch, broken: bool) -> None:
    squash = nn.Sigmoid if broken else nn.ReLU
    layers: list[nn.Module] = [nn.Linear(64, 32), squash()]
    for _ in range(10):
        layers += [nn.Linear(32, 32), squash()]
    model = nn.Sequential(*layers, nn.Linear(32, 10))
    if not broken:
        for layer in model:
            if isinstance(layer, nn.Linear):
                nn.init.kaiming_normal_(layer.weight)
    optimizer = SGD(model.parameters(), lr=0.01)
    watch(model, optimizer)
    for _ in range(6):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


BUGS = (
    Bug("division by a zero spread", ("loss/not_finite",), constant_example),
    Bug("norm at zero", ("gradient/not_finite", "loss/not_finite"), norm_at_zero),
    Bug("dead units", ("units/dead",), dead_units),
    Bug("vanishing gradients", ("gradient/vanishes",), vanishing),
)
