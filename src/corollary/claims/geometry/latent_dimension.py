r"""Deep sets with fewer latent dimensions than elements cannot represent the maximum.

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
:scale-free: The fibres only supply a pair of sets; a scaled pair has other sums.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from corollary.core import Claim, Suppose, Trial, at_least, near, option, uniform
from corollary.core.picture import Curve, Marks, picture
from corollary.models.deep_sets import DeepSets
from corollary.theory.geometry.sum_fibres import sum_fibre, widest_pair
from corollary.train import fit


class Given(NamedTuple):
    f: DeepSets
    u: Float[Tensor, " M"]  # a set
    v: Float[Tensor, " M"]  # another

    @property
    def sets(self) -> Float[Tensor, "2 M 1"]:
        return torch.stack([self.u, self.v])[..., None]


def maximum(given: Given) -> Given:
    """If the network takes a maximum over elements, one latent dimension is enough."""
    u, v = torch.tensor([[0.5, 0.5, 0.5], [0.25, 0.5, 0.75]], dtype=torch.float64)
    return Given(DeepSets(nn.Identity(), nn.Identity(), "max"), u, v)


class LatentDimension(Claim[Given]):
    M: int = option(3, low=2, high=6)  # numbers in a set
    d: int = option(2, low=1, high=5)  # latent numbers, fewer than M
    steps: int = option(300, low=1, high=5000)  # updates by Adam

    relation = at_least(ulps=1e8)  # the walk leaves the sums equal to about 1e-9
    supposes = (
        Suppose(
            "the network sums the features of the elements",
            lambda g: near(g.f(g.sets), g.f.rho(g.f.phi(g.sets).sum(-2))),
            without=maximum,
        ),
        Suppose(
            "u and v have the same sum of latent vectors",
            lambda g: near(g.f.phi(g.sets).sum(-2).diff(dim=0), 0.0, to=1e-8),
            "If the two sets have different sums, the network can distinguish them.",
            u=lambda g: 0.3 * torch.linspace(0, 1, len(g.u)).double(),
            v=lambda g: 0.9 * torch.linspace(0, 1, len(g.u)).double(),
        ),
    )
    symbols = "½|max u − max v|", "larger of the two errors"

    def given(self, rng: Generator) -> Given:
        f = DeepSets.of_widths([1, 16, self.d], [self.d, 16, 1], activation="tanh", rng=rng)
        x = uniform(rng, 128, self.M, 1)
        fit(f, (x, x.amax(dim=1)), F.mse_loss, lambda p: Adam(p, lr=0.02), steps=self.steps)
        return Given(f, *widest_pair(f.phi, self.M, rng=rng))

    def predict(self, given: Given) -> float:
        return 0.5 * abs(float(given.u.max() - given.v.max()))

    def measure(self, given: Given) -> float:
        return float((given.f(given.sets) - given.sets.amax(dim=1)).detach().abs().max())

    @picture("The maximum of sets with the same latent sum", x="place along the fibre", y="value")
    def marks(self, trial: Trial[Given]) -> Marks:
        path = sum_fibre(trial.given.f.phi, trial.given.u)
        yield Curve(path.amax(dim=1), label="max x", role="predicted")
        yield Curve(trial.given.f(path[..., None])[:, 0], label="trained network")
        for m, element in enumerate(path.T, start=1):
            yield Curve(element, label=f"element {m}", role="other", dashed=True)
