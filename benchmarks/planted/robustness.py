"""Faults for the question "How robust is it?"."""

from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.train import fit
from planted.fault import Fault
from planted.networks import about, mlp

SIZE = 16


class Before(nn.Module):
    """Something done to the inputs, then a network."""

    def __init__(self, net: nn.Module, change) -> None:
        super().__init__()
        self.net, self.change = net, change

    def forward(self, x: Tensor) -> Tensor:
        """The network on what was made of the inputs."""
        return self.net(self.change(x))


class Rugged(nn.Module):
    """A fast wave on top of the scores: its slope hides theirs, its height does not matter."""

    def __init__(self, net: nn.Module, height: float) -> None:
        super().__init__()
        self.net, self.height = net, height

    def forward(self, x: Tensor) -> Tensor:
        """Scores with ripples, of one sign for each class."""
        wave = torch.sin(3000 * x).mean(1, keepdim=True)
        signs = torch.tensor([1.0, -1.0, 1.0])
        return self.net(x) + self.height * wave * signs


def clouds(n: int = 256, k: int = 3) -> tuple[Tensor, Tensor]:
    """Classes around corners that are well apart."""
    y = torch.arange(n) % k
    centres = 2.0 * torch.eye(k, SIZE)
    return centres[y] + 0.4 * torch.randn(n, SIZE), y


def whispers(n: int = 256) -> tuple[Tensor, Tensor]:
    """As clouds, but one tiny feature alone gives the class away, and without any error."""
    x, y = clouds(n)
    x = torch.randn_like(x)
    x[:, 0] = 0.01 * (y - 1)
    return x, y


def trained(data: tuple[Tensor, Tensor], net: nn.Module | None = None) -> nn.Module:
    """A plain network that has learned its data."""
    net = mlp(d=SIZE) if net is None else net
    adam = partial(torch.optim.Adam, lr=1e-2)
    fit(net, data, F.cross_entropy, adam, epochs=15, batch_size=32)
    return net


def listens(loud: float) -> dict:
    """A network that reads the first feature through a very large weight, or the data as it is."""
    x, y = whispers() if loud > 1 else clouds()
    amplify = torch.ones(SIZE)
    amplify[0] = loud
    amplify[1:] = 0.01 if loud > 1 else 1.0
    scaled = (x * amplify, y)
    return about(Before(trained(scaled), partial(torch.mul, other=amplify)), (x, y))


def renamed(shift: int) -> dict:
    """Labels that count from elsewhere."""
    x, y = clouds()
    return about(trained((x, y)), (x, (y + shift) % 3))


def changed(change) -> dict:
    """A trained network behind a change of its inputs."""
    data = clouds()
    return about(Before(trained(data), change), data)


def ended(end: nn.Module) -> dict:
    """A trained network with something at its end."""
    data = clouds()
    return about(nn.Sequential(trained(data), end), data)


def rugged(height: float) -> dict:
    """A trained network with ripples."""
    data = clouds()
    return about(Rugged(trained(data), height), data)


class Louder(nn.Module):
    """Scores times a factor, as probabilities or not."""

    def __init__(self, probabilities: bool) -> None:
        super().__init__()
        self.probabilities = probabilities

    def forward(self, scores: Tensor) -> Tensor:
        """Softmax at a low temperature, or the scores."""
        return torch.softmax(100 * scores, 1) if self.probabilities else scores


def rounding(x: Tensor) -> Tensor:
    """Inputs to one decimal."""
    return (10 * x).round() / 10


def noisy(x: Tensor) -> Tensor:
    """Inputs with fresh noise, in evaluation too."""
    return x + 0.2 * torch.randn_like(x)


def same(x: Tensor) -> Tensor:
    """Inputs as they are."""
    return x


FAULTS = (
    Fault("labels count from elsewhere", "robustness/clean_accuracy", "", "order of the labels",
          lambda: renamed(1), lambda: renamed(0)),
    Fault("one tiny feature decides", "robustness/robust_accuracy", "", "tiny features",
          lambda: listens(300.0), lambda: listens(1.0)),
    Fault("one tiny feature decides, by length", "robustness/smallest_perturbation", "",
          "tiny values", lambda: listens(300.0), lambda: listens(1.0)),
    Fault("inputs are rounded", "robustness/gradient_masking", "", "differentiable",
          lambda: changed(rounding), lambda: changed(same)),
    Fault("saturated probabilities", "robustness/gradient_masking", "", "logits",
          lambda: ended(Louder(True)), lambda: ended(Louder(False))),
    Fault("noise in evaluation", "robustness/gradient_masking", "", "smoothing",
          lambda: changed(noisy), lambda: changed(same)),
    Fault("a rugged surface", "robustness/gradient_masking", "", "random search",
          lambda: rugged(1.0), lambda: rugged(0.0)),
)  # fmt: skip
