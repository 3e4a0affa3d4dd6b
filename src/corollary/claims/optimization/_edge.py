"""Two small networks trained on all of their data at every step, and the sharpness on the way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam, AdamW, Optimizer

from corollary.core.measurement import Sample
from corollary.core.picture import Curve, Level, Marks
from corollary.core.randomness import normal
from corollary.data.real import digits

EVERY = 20  # steps between two looks at the sharpness
PRODUCTS = 5  # of a look, which goes on from the vector of the last one


class Rows(nn.Module):
    """A transformer block that reads the rows of an image as tokens."""

    def __init__(self, width: int = 24) -> None:
        super().__init__()
        self.width = width
        self.read, self.place = nn.Linear(8, width), nn.Parameter(torch.empty(8, width))
        self.qkv, self.mix = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.head = nn.Linear(width, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Outputs (n, 10) of images (n, 1, 8, 8)."""
        h = self.read(x[:, 0]) + self.place
        q, k, v = self.qkv(self.norm1(h)).chunk(3, -1)
        h = h + self.mix(torch.softmax(q @ k.mT / self.width**0.5, -1) @ v)
        h = h + self.narrow(torch.tanh(self.wide(self.norm2(h))))
        out: Tensor = self.head(h.mean(1))
        return out


def convolutions() -> nn.Module:
    """Two stages of convolution, tanh and mean pooling, then a linear layer."""
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


NETWORKS: dict[str, Callable[[], nn.Module]] = {"CNN": convolutions, "transformer": Rows}


@dataclass
class Course:
    """What a run went through."""

    losses: list[float] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    sharpness: list[float] = field(default_factory=list)

    @property
    def settled(self) -> float:
        """The mean over the last third."""
        last = self.sharpness[-len(self.sharpness) // 3 :]
        return sum(last) / len(last)


def drawn(network: str, rng: Generator) -> nn.Module:
    """A network in float64, its weights of the variance that torch gives them."""
    net = NETWORKS[network]().to(torch.float64)
    with torch.no_grad():
        for p in net.parameters():
            if p.dim() > 1:
                p.copy_(normal(rng, *p.shape) / (3 * p[0].numel()) ** 0.5)
            elif p.dim() == 1 and not bool((p == 1).all()):  # scales of norms stay 1
                p.zero_()
    return net


def images(n: int, rng: Generator) -> tuple[Tensor, Tensor]:
    """Some of the digits, standardized, and their classes as targets."""
    x, y = digits("train")
    few = torch.randperm(len(x), generator=rng)[:n]
    x = x[few].reshape(n, 1, 8, 8).double()
    return (x - x.mean()) / x.std(), F.one_hot(y[few], 10).double()


def course(
    net: nn.Module,
    x: Tensor,
    t: Tensor,
    optimizer: Optimizer,
    steps: int,
    size: int,
    rng: Generator,
) -> Course:
    """Train on the squared error, with batches of ``size``; all of the data is full-batch."""
    found, parameters = Course(), list(net.parameters())
    v = [normal(rng, *p.shape) for p in parameters]
    for step in range(steps):
        if step % EVERY == 0 and step:
            value, v = sharpness(squared_error(net, x, t), parameters, divisors(optimizer), v)
            found.at.append(step)
            found.sharpness.append(value)
        few = torch.randperm(len(x), generator=rng)[:size] if size < len(x) else slice(None)
        loss = squared_error(net, x[few], t[few])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.losses.append(float(loss.detach()))
    return found


def squared_error(net: nn.Module, x: Tensor, t: Tensor) -> Tensor:
    """Half the squared distance to the targets, mean over images."""
    error: Tensor = (net(x) - t).square().sum(1).mean() / 2
    return error


def divisors(optimizer: Optimizer) -> list[Tensor | float]:
    """What the method divides each gradient by: one, or Adam's root of the second moment."""
    found: list[Tensor | float] = []
    for group in optimizer.param_groups:
        for p in group["params"]:
            state = optimizer.state.get(p)
            if not isinstance(optimizer, Adam | AdamW) or not state:
                found.append(1.0)
                continue
            corrected = state["exp_avg_sq"] / (1 - group["betas"][1] ** float(state["step"]))
            found.append(corrected.sqrt() + group["eps"])
    return found


def sharpness(
    loss: Tensor, parameters: Sequence[Tensor], P: Sequence[Tensor | float], v: Sequence[Tensor]
) -> tuple[float, list[Tensor]]:
    r"""The largest eigenvalue of :math:`P^{-1/2}HP^{-1/2}` by the power method, and its vector."""
    slopes = torch.autograd.grad(loss, list(parameters), create_graph=True)
    root = [p**0.5 for p in P]
    value = 0.0
    for _ in range(PRODUCTS):
        length = sum(float(part.square().sum()) for part in v) ** 0.5
        unit = [part / length for part in v]
        along = [u / r for u, r in zip(unit, root, strict=True)]
        rows = torch.autograd.grad(slopes, list(parameters), along, retain_graph=True)
        v = [row / r for row, r in zip(rows, root, strict=True)]
        value = sum(float((a * u).sum()) for a, u in zip(v, unit, strict=True))
    return value, list(v)


def settled_rows(found: Sequence[Sequence[Course]]) -> list[Sample]:
    """For each network, the settled sharpness of its runs and the inverse of it."""
    rows = []
    for runs in found:
        value = torch.tensor([run.settled for run in runs], dtype=torch.float64)
        rows += [Sample(value), Sample(1 / value)]
    return rows


def curves(found: Sequence[Sequence[Course]], limits: Sequence[float], limit: str) -> Marks:
    """Sharpness over its limit, along every run."""
    yield Level(1.0, label=limit)
    for name, runs, most in zip(NETWORKS, found, limits, strict=True):
        for i, run in enumerate(runs):
            yield Curve([v / most for v in run.sharpness], run.at, f"{name}, run {i + 1}")
