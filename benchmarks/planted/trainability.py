"""Faults for the question "Will it train?"."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from planted.fault import Fault
from planted.networks import about, mlp, table


def deep(activation: Callable[[], nn.Module], depth: int, gain: float) -> nn.Sequential:
    """A deep chain with weights of the given gain (variance times fan-in)."""
    widths = [10] + [32] * depth + [3]
    layers: list[nn.Module] = []
    for a, b in zip(widths, widths[1:], strict=False):
        layers += [nn.Linear(a, b), activation()]
        nn.init.normal_(layers[-2].weight, std=(gain / a) ** 0.5)
        nn.init.zeros_(layers[-2].bias)
    return nn.Sequential(*layers[:-1])


def ordered_phase(bias: float) -> nn.Sequential:
    """A deep tanh network whose biases outweigh what the samples say, or do not."""
    model = deep(nn.Tanh, 12, 0.3 if bias else 1.0)
    for layer in model:
        if isinstance(layer, nn.Linear):
            nn.init.normal_(layer.bias, std=bias)
    return model


def with_biases(value: float) -> nn.Sequential:
    """A network whose first hidden layer starts with this bias."""
    model = mlp()
    nn.init.constant_(model[0].bias, value)
    return model


def stretched(factor: float) -> nn.Sequential:
    """A tanh network with its first weights times a factor."""
    model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 3))
    model[0].weight.data *= factor
    return model


def constant(value: float | None) -> nn.Sequential:
    """A network whose second layer starts as a constant, or at random."""
    model = mlp()
    if value is not None:
        nn.init.constant_(model[2].weight, value)
        nn.init.zeros_(model[2].bias)
    return model


class Detached(nn.Module):
    """Cuts the gradient between its two layers, or not."""

    def __init__(self, cut: bool) -> None:
        super().__init__()
        self.first, self.last, self.cut = nn.Linear(10, 32), nn.Linear(32, 3), cut

    def forward(self, x: Tensor) -> Tensor:
        h = self.first(x).relu()
        return self.last(h.detach() if self.cut else h)


class Recurrent(nn.Module):
    """A plain recurrent network whose recurrent weights have a given radius."""

    def __init__(self, radius: float) -> None:
        super().__init__()
        self.cell, self.last = nn.RNN(4, 16, batch_first=True), nn.Linear(16, 3)
        nn.init.orthogonal_(self.cell.weight_hh_l0, gain=radius)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.cell(x)[0][:, -1])


def sequences() -> tuple[Tensor, Tensor]:
    """Random sequences whose first element decides the class."""
    x = torch.randn(256, 12, 4)
    return x, x[:, 0, :3].argmax(1)


FAULTS = (
    Fault("deep sigmoid network", "trainability/signal_passage", "0", "larger weights",
          lambda: about(deep(nn.Sigmoid, 10, 1.0), table()),
          lambda: about(deep(nn.Tanh, 10, 1.0), table())),
    Fault("weights ten times too small", "trainability/signal_passage", "0", "larger weights",
          lambda: about(deep(nn.ReLU, 6, 0.02), table()),
          lambda: about(deep(nn.ReLU, 6, 2.0), table())),
    Fault("weights ten times too large", "trainability/signal_passage", "12", "smaller weights",
          lambda: about(deep(nn.ReLU, 6, 200.0), table()),
          lambda: about(deep(nn.ReLU, 6, 2.0), table())),
    Fault("gain far from He's", "trainability/initial_gain", "0", "variance",
          lambda: about(deep(nn.ReLU, 2, 60.0), table()),
          lambda: about(deep(nn.ReLU, 2, 2.0), table())),
    Fault("dead first layer", "trainability/units", "1", "biases",
          lambda: about(with_biases(-8.0), table()), lambda: about(with_biases(0.0), table())),
    Fault("saturated first layer", "trainability/units", "1", "smaller weights",
          lambda: about(stretched(60.0), table()), lambda: about(stretched(1.0), table())),
    Fault("samples become alike", "trainability/rank_collapse", "18", "residual",
          lambda: about(ordered_phase(1.0), table()),
          lambda: about(ordered_phase(0.0), table())),
    Fault("constant start", "trainability/copied_units", "2", "random",
          lambda: about(constant(0.1), table()), lambda: about(constant(None), table())),
    Fault("hidden layer of zeros", "trainability/gradient_reach", "2", "zeros",
          lambda: about(constant(0.0), table()), lambda: about(constant(None), table())),
    Fault("detached layer", "trainability/gradient_reach", "first", "detach",
          lambda: about(Detached(True), table()), lambda: about(Detached(False), table())),
    Fault("step size too long", "trainability/largest_step", "", "learning rate of about",
          lambda: about(mlp(), table(), lr=100.0), lambda: about(mlp(), table(), lr=0.1)),
    Fault("recurrent weights too large", "trainability/recurrent_radius", "cell.weight_hh_l0",
          "orthogonal",
          lambda: about(Recurrent(5.0), sequences(), optimizer="adam:lr=0.005"),
          lambda: about(Recurrent(1.0), sequences(), optimizer="adam:lr=0.005")),
)  # fmt: skip
