r"""A feature map makes data separable.

Two rings in the plane are not separated by any line. After the quadratic feature map of
:math:`(x, 1)` a hyperplane separates them as soon as a conic does in the plane: the boundary is
linear in feature space and curved in the plane.

:source: Lucchi (2025), Foundations of Deep Learning, Figure 7.1; Boser, Guyon and Vapnik (1992), "A
    training algorithm for optimal margin classifiers".
:kind: experiment
:uses: polynomial_kernel
:covers: kernel-trick-classification, polynomial-kernel-feature-map
:scale-free: Whether points are separable does not depend on the length of w.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Marks, Points, Suppose, Trial, equals, option, picture
from corollary.data.rings import rings
from corollary.theory.connectionism.separability import linear_separability
from corollary.theory.kernels.kernel import PolynomialKernel


class Given(NamedTuple):
    x: Float[Tensor, "n 2"]
    y: Float[Tensor, " n"]  # -1 inside, +1 outside


def gap_of_rings(g: Given) -> Tensor:
    """The smallest radius outside less the largest inside."""
    r = g.x.norm(dim=1)
    out: Tensor = r[g.y > 0].min() - r[g.y < 0].max()
    return out


def widest_gap(g: Given) -> Tensor:
    """The widest angle without a point of the outer class."""
    angles = torch.atan2(g.x[:, 1], g.x[:, 0])[g.y > 0].sort().values
    return torch.cat([angles.diff(), angles[:1] + 2 * torch.pi - angles[-1:]]).max()


def mixed(given: Given) -> Given:
    """An outer point lies among four inner points, and no conic separates them."""
    extra = torch.tensor([[0.0, 0.0], [0.1, 0.1], [0.1, -0.1], [-0.1, 0.1], [-0.1, -0.1]])
    label = torch.tensor([1.0, -1.0, -1.0, -1.0, -1.0])
    return Given(torch.cat([given.x, extra.double()]), torch.cat([given.y, label.double()]))


def on_one_side(given: Given) -> Given:
    """The outer class lies on one side only, so a line separates the classes."""
    kept = (given.y < 0) | (given.x[:, 0] > 1.5)
    return Given(given.x[kept], given.y[kept])


def features(x: Tensor) -> Tensor:
    """All quadratic monomials of (x, 1)."""
    return PolynomialKernel(2, 1.0).features(x)


class KernelTrick(Claim[Given]):
    n: int = option(80, low=8, high=400)  # points
    noise: float = option(0.3, low=0.0, high=0.45)  # half width of each ring

    relation = equals()  # yes or no, both proved by a linear program
    supposes = (
        Suppose("a circle separates the classes", gap_of_rings, without=mixed),
        Suppose(
            "the outer class surrounds the origin",
            lambda g: torch.pi - widest_gap(g),
            without=on_one_side,
        ),
    )
    symbols = "separable?", "a hyperplane is found"
    predicts = [0, 1]
    rows = "in the plane", "in feature space"

    def given(self, rng: Generator) -> Given:
        return Given(*rings(self.n, self.noise, rng=rng))

    def measure(self, given: Given) -> list[int]:
        return [int(bool(linear_separability(t, given.y))) for t in (given.x, features(given.x))]

    @picture("A curved boundary that is linear in feature space", x="x₁", y="x₂", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        x, y = trial.given
        found = linear_separability(features(x), y)
        assert found.w is not None and found.b is not None
        turn = torch.linspace(0, 2 * torch.pi, 181, dtype=torch.float64)
        ray, radii = torch.stack([turn.cos(), turn.sin()], dim=1), torch.linspace(0, 3, 301)
        values = torch.stack([features(r * ray) @ found.w + found.b for r in radii])
        first = (values.sign() != values[0].sign()).to(torch.uint8).argmax(dim=0)
        edge, inner, outer = radii[first][:, None] * ray, x[y < 0], x[y > 0]
        yield Curve(edge[:, 1], x=edge[:, 0], label="<w, φ(x)> + b = 0", role="predicted")
        yield Points(inner[:, 0], inner[:, 1], label="y = −1")
        yield Points(outer[:, 0], outer[:, 1], label="y = +1", role="other")
