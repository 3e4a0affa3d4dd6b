r"""Training makes two spirals linearly separable in the last hidden layer.

Two spirals wound around each other cannot be separated by a line. After training, the best linear
classifier on the last hidden layer is right almost always (at least ``last``), while on the inputs
it is not: the share it gains is at least ``gain``. A network of linear layers bends nothing, and
gains nothing.

:source: Mathematical Foundations of Deep Learning (slides), Manifold Hypothesis; Olah (2014),
    "Neural networks, manifolds, and topology"; Alain and Bengio (2017), "Understanding
    intermediate layers using linear classifier probes".
:kind: experiment
:cost: seconds
:covers: manifold-hypothesis
:scale-free: The principal plane serves the picture only.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional as F
from torch.optim import Adam

from corollary.core import Claim, Count, Kept, Sample, Suppose, Trial, at_least, option
from corollary.core.picture import Curve, Figure, Points
from corollary.data.manifolds import two_spirals
from corollary.models.many import Many
from corollary.models.mlp import MLP
from corollary.theory.geometry.activation_atlas import principal_plane
from corollary.train import fit


class Given(NamedTuple):
    x: Float[Tensor, "n 2"]  # points of two spirals
    y: Float[Tensor, " n"]  # which spiral
    nets: list[MLP]  # before training


def bend(g: Given) -> float:
    """How far the networks are from affine maps."""
    off = [net(2 * g.x) - 2 * net(g.x) + net(0 * g.x) for net in g.nets]
    return float(torch.stack(off).detach().abs().min(dim=0).values.max())


def separability(h: Tensor, y: Tensor) -> float:
    """Accuracy of the affine classifier of least squares."""
    H = torch.cat([h, torch.ones_like(h[:, :1])], dim=1)
    return float((H @ (torch.linalg.pinv(H) @ y) * y > 0).double().mean())


class LayerwiseUnfolding(Claim[Given]):
    n: int = option(240, low=20, high=5000)  # points, half on each spiral
    turns: float = option(1.0, low=0.1, high=3.0)  # turns of each spiral
    width: int = option(12, low=2, high=256)  # units of a hidden layer
    layers: int = option(3, low=1, high=8)  # hidden layers
    steps: int = option(300, low=1, high=10_000)  # updates by Adam
    runs: int = option(4, low=2, high=50)  # networks
    last: float = option(0.97, low=0.0, high=1.0)  # accuracy on the last hidden layer
    gain: float = option(0.15, low=0.0, high=1.0)  # accuracy gained over the inputs

    relation = at_least()
    supposes = Suppose(
        "the layers are not linear",
        lambda g: bend(g) - 1e-6,
        "Linear layers do not increase the linear separability.",
        nets=lambda self, rng: self.networks("linear", rng),
    )
    symbols = "required value", "accuracy of the best linear classifier"
    rows = "on the last hidden layer", "gained over the inputs"

    def networks(self, phi: str, rng: Generator) -> list[MLP]:
        nets = [MLP([2] + [self.width] * self.layers + [1], phi, rng=rng) for _ in range(self.runs)]
        for p in (p for net in nets for p in list(net.parameters())[:-2]):
            p.data *= 2.0  # where tanh bends; biases are 0
        return nets

    def given(self, rng: Generator) -> Given:
        return Given(*two_spirals(self.n, self.turns, rng=rng), self.networks("tanh", rng))

    def predict(self, given: Given) -> list[float]:
        return [self.last, self.gain]

    def measure(self, given: Given) -> Kept:
        def loss(z: Tensor, y: Tensor) -> Tensor:
            return F.softplus(-y * z[..., 0]).mean(dim=-1).sum()  # over networks

        many, y = Many(given.nets), given.y
        fit(many, (given.x, y), loss, lambda p: Adam(p, lr=0.02), steps=self.steps)
        hidden = [net.representations(given.x)[:-1] for net in many.apart() if isinstance(net, MLP)]
        share = [[separability(h.detach(), y) for h in layers] for layers in hidden]
        right = Count(round(len(y) * sum(s[-1] for s in share)), len(y) * self.runs)
        found = [right, Sample([s[-1] - s[0] for s in share])]
        return Kept(found, share=share, plane=principal_plane(hidden[0][-1].detach()))

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        marks = [Curve(s, label=f"network {k}") for k, s in enumerate(trial.kept.share, 1)]
        for b in trial.without:
            marks.append(Curve(b.kept.share[0], label=b.words, role="other", dashed=True))
        title, y = "Linear separability of each layer", "accuracy of the best linear classifier"
        by_layer = Figure(title, x="layer, 0 is the input", y=y, marks=tuple(marks))
        a, b = (trial.kept.plane[trial.given.y * side > 0] for side in (1, -1))
        spirals = (
            Points(a[:, 0], a[:, 1], label="first spiral"),
            Points(b[:, 0], b[:, 1], label="second spiral", role="predicted"),
        )
        title = "Last hidden layer, in its principal plane"
        return by_layer, Figure(title, x="first coordinate", y="second coordinate", marks=spirals)
