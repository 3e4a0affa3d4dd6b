r"""A network unfolds its data layer by layer.

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
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn import functional as F
from torch.optim import Adam

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_least, option
from corollary.data.manifolds import two_spirals
from corollary.models.mlp import MLP
from corollary.theory.geometry.activation_atlas import principal_plane
from corollary.train import fit


class Given(NamedTuple):
    """How to draw and train what."""

    seed: int
    n: int
    turns: float
    width: int
    layers: int
    steps: int
    phi: str


class LayerwiseUnfolding(Claim[Given]):
    n: int = option(240, low=20, high=5000)  # points, half on each spiral
    turns: float = option(1.0, low=0.1, high=3.0)  # how often each spiral goes around
    width: int = option(12, low=2, high=256)  # units of a hidden layer
    layers: int = option(3, low=1, high=8)  # hidden layers
    steps: int = option(300, low=1, high=10_000)  # updates by Adam
    last: float = option(0.97, low=0.0, high=1.0)  # accuracy on the last hidden layer
    gain: float = option(0.15, low=0.0, high=1.0)  # accuracy gained over the inputs
    relation = at_least()  # shares of a few hundred points

    def given(self, rng: Generator) -> Given:
        """A seed."""
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(seed, self.n, self.turns, self.width, self.layers, self.steps, "tanh")

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Nonlinearity."""
        yield Hypothesis("the layers are not linear", given.phi != "linear")

    def predict(self, given: Given) -> list[float]:
        """The accuracy, and the gain."""
        return [self.last, self.gain]

    def measure(self, given: Given) -> list[float]:
        """On the last hidden layer, and over the inputs."""
        accuracy = [separability(h, labels(given)) for h in layers(given)]
        return [accuracy[-1], accuracy[-1] - accuracy[0]]

    def counterexample(self, rng: Generator) -> Given:
        """Linear layers."""
        return self.given(rng)._replace(phi="linear", steps=40)

    def figure(self, given: Given) -> tuple[Figure, ...]:
        """Accuracy by layer, the spirals, and what the last hidden layer makes of them."""
        y = labels(given)
        h = layers(given)
        linear = layers(given._replace(phi="linear", steps=40))
        number = list(range(len(h)))
        by_layer = Figure(
            "Linear separability of each layer",
            x="layer, 0 is the input",
            y="accuracy of the best linear classifier",
            marks=(
                Curve([separability(z, y) for z in linear], label="linear layers", role="other",
                      dashed=True),
                Curve([separability(z, y) for z in h], label="tanh layers"),
                Points(number, [separability(z, y) for z in h], label="measured"),
            ),
        )  # fmt: skip
        planes = tuple(
            Figure(title, x="first coordinate", y="second coordinate", marks=_two(plane, y))
            for title, plane in (
                ("The input", h[0]),
                ("First hidden layer, in its principal plane", principal_plane(h[1])),
                ("Last hidden layer, in its principal plane", principal_plane(h[-1])),
            )
        )
        return (by_layer, *planes)


def labels(given: Given) -> Tensor:
    """Which spiral each point is on."""
    return two_spirals(given.n, given.turns, rng=torch.Generator().manual_seed(given.seed))[1]


@lru_cache(maxsize=8)
def layers(given: Given) -> list[Tensor]:
    """The inputs and the hidden layers of the trained network."""
    rng = torch.Generator().manual_seed(given.seed)
    x, y = two_spirals(given.n, given.turns, rng=rng)
    net = MLP([2] + [given.width] * given.layers + [1], given.phi, rng=rng)
    with torch.no_grad():
        for layer in net.layers[:-1]:
            layer.affine.W *= 2.0  # where tanh bends

    def loss(z: Tensor, y: Tensor) -> Tensor:
        return F.softplus(-y * z[:, 0]).mean()

    fit(net, (x, y), loss, lambda p: Adam(p, lr=0.02), steps=given.steps)
    return [h.detach() for h in net.representations(x)[:-1]]


def separability(h: Tensor, y: Tensor) -> float:
    """Accuracy of the affine classifier of least squares."""
    H = torch.cat([h, torch.ones_like(h[:, :1])], dim=1)
    guess = H @ (torch.linalg.pinv(H) @ y)
    return float((guess * y > 0).double().mean())


def _two(plane: Tensor, y: Tensor) -> tuple[Points, Points]:
    a, b = plane[y > 0], plane[y < 0]
    return (
        Points(a[:, 0], a[:, 1], label="first spiral"),
        Points(b[:, 0], b[:, 1], label="second spiral", role="predicted"),
    )
