r"""Too few latent numbers cannot hold a maximum.

Let :math:`f(X)=\rho(\sum_m\varphi(x_m))` on :math:`M` numbers with a differentiable
:math:`\varphi:\mathbb{R}\to\mathbb{R}^d` and :math:`d<M`. The sum has fibres: there are sets
:math:`u,v` with :math:`\sum\varphi(u_m)=\sum\varphi(v_m)` and different maxima, and then, whatever
:math:`\rho` is,

.. math:: \max_{x\in\{u,v\}}|f(x)-\max x|\ge\tfrac12|\max u-\max v| .

Such a pair is found by walking along the null space of the derivative of the sum, which has more
columns than rows. With a maximum in place of the sum one latent number is enough.

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Wagstaff, Fuchs, Engelcke, Posner and
    Osborne (2019), "On the limitations of representing functions on sets", Theorem 4.3.
:kind: theorem
:cost: seconds
:covers: deep-sets-latent-dimension
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_least, option
from corollary.models.deep_sets import DeepSets
from corollary.theory.geometry.sum_fibres import sum_fibre, widest_pair
from corollary.train import fit


class Given(NamedTuple):
    """A function of sets, and two sets with the same sum of latent numbers."""

    f: DeepSets
    u: Float[Tensor, " M"]
    v: Float[Tensor, " M"]


class LatentDimension(Claim[Given]):
    M: int = option(3, low=2, high=6)  # numbers in a set
    d: int = option(2, low=1, high=5)  # latent numbers, fewer than M
    steps: int = option(300, low=1, high=5000)  # updates by Adam
    relation = at_least(ulps=1e8)  # the walk leaves the sums equal to about 1e-9

    def given(self, rng: Generator) -> Given:
        """A network trained to give the maximum, and a pair from one of its fibres."""
        f = trained(self.M, self.d, self.steps, rng)
        u, v = widest_pair(f.phi, self.M, rng=rng)
        return Given(f, u, v)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A sum, and equal sums."""
        phi, u, v = given.f.phi, given.u, given.v
        with torch.no_grad():
            gap = (phi(u[:, None]).sum(0) - phi(v[:, None]).sum(0)).abs().max()
        yield Hypothesis("elements are added up", given.f.pool == "sum")
        yield Hypothesis("u and v have the same sum of latent numbers", bool(gap < 1e-8))

    def predict(self, given: Given) -> float:
        """Half the difference of the maxima."""
        return 0.5 * abs(float(given.u.max() - given.v.max()))

    def measure(self, given: Given) -> float:
        """The larger of the two errors."""
        return _error(given.f, torch.stack([given.u, given.v]))

    def counterexample(self, rng: Generator) -> Given:
        """A maximum over the elements themselves: no error with one latent number."""
        f = DeepSets(nn.Identity(), nn.Identity(), "max")
        u, v = torch.tensor([[0.5, 0.5, 0.5], [0.25, 0.5, 0.75]], dtype=torch.float64)
        return Given(f, u, v)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Along a fibre; and how the pairs disappear with enough latent numbers."""
        path = sum_fibre(given.f.phi, given.u)
        with torch.no_grad():
            value = given.f(path[..., None])[:, 0]
        step = range(len(path))
        walk = Figure(
            "Along a fibre of the sum",
            x="place along the fibre",
            y="value",
            marks=(
                Curve(path.max(dim=1).values, x=step, label="max x", role="predicted"),
                Curve(value, x=step, label="trained network"),
                *(Curve(path[:, m], x=step, label=f"element {m + 1}", role="other", dashed=True)
                  for m in range(path.shape[1])),
            ),
        )  # fmt: skip
        M, rng = self.M, torch.Generator().manual_seed(0)
        sizes = list(range(1, 2 * M + 1))
        floors = []
        for d in sizes:
            phi = DeepSets.of_widths([1, 16, d], [d, 1], activation="tanh", rng=rng).phi
            u, v = widest_pair(phi, M, rng=rng)
            floors.append(0.5 * abs(float(u.max() - v.max())))
        floor = Figure(
            f"Sets of M = {M} numbers, random φ",
            x="d, latent numbers",
            y="error that no ρ can avoid",
            marks=(
                Points(sizes, floors, label="half the widest difference found"),
                Curve([0.0] * len(sizes[M - 1 :]), x=sizes[M - 1 :], label="none for d ≥ M",
                      role="predicted"),
            ),
        )  # fmt: skip
        return walk, floor


def trained(M: int, d: int, steps: int, rng: Generator) -> DeepSets:
    """A deep set with smooth units after training on the maximum of uniform numbers."""
    f = DeepSets.of_widths([1, 16, d], [d, 16, 1], activation="tanh", rng=rng)
    x = torch.rand(128, M, 1, generator=rng, dtype=torch.float64)
    fit(f, (x, x.amax(dim=1)), F.mse_loss, lambda p: Adam(p, lr=0.02), steps=steps)
    return f


def _error(f: DeepSets, sets: Tensor) -> float:
    with torch.no_grad():
        return float((f(sets[..., None])[:, 0] - sets.max(dim=1).values).abs().max())
