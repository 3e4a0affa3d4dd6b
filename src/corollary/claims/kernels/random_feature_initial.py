r"""A random-feature model is a Gaussian process at the start.

For :math:`f = \theta^\top\phi(x)/\sqrt p` with :math:`\theta \sim N(0, I_p)`, given the features,

.. math:: f(x) \sim N(0, K(x, x)), \qquad \mathrm{Cov}(f(x), f(x')) = K(x, x')
          = \phi(x)^\top\phi(x')/p,

exactly and for every p.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 55.
:kind: theorem
:uses: gaussian_affine
:covers: random-feature-initial-gp
:erratum: [typo] Theorem 55 leaves out the factor 1/sqrt(p) of the model; without it the covariance
    is p K (the counterexample).
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, normal, option, within_interval
from corollary.core.witness import mean_square_is
from corollary.models.random_features import RandomFeatures


class Given(NamedTuple):
    phi: Float[Tensor, "n p"]  # features of a few inputs
    theta: Float[Tensor, "draws p"]
    factor: float  # in the output

    @property
    def K(self) -> Float[Tensor, "n n"]:
        return self.phi @ self.phi.T / self.phi.shape[1]


class RandomFeatureInitial(Claim[Given]):
    p: int = option(50, low=1, high=2000)  # features
    draws: int = option(10_000, low=100, high=200_000)  # models

    relation = within_interval(
        level=0.999, resolution=0.6, coarse="fourth moments have a spread of 10 per draw"
    )
    supposes = (
        Suppose(
            "the output has the factor 1/√p",
            lambda g: abs(g.factor * g.phi.shape[1] ** 0.5 - 1) < 1e-12,
            "Without the factor, as printed in the notes, the covariance is p times as large.",
            factor=1.0,
        ),
        Suppose(
            "θ is standard normal",
            lambda g: mean_square_is(g.theta, 1.0),
            "With θ twice as large the covariance is four times as large.",
            theta=lambda g: 2 * g.theta,
        ),
    )
    symbols = "N(0, K)", "mean over models"
    rows = "E[f(x₁)²]", "E[f(x₁) f(x₂)]", "E[f(x₂) f(x₃)]", "E[f(x₁)⁴] / K²"
    shows = Along("Moments of a random-feature model", x="moment", y="value", log="y")

    def given(self, rng: Generator) -> Given:
        x = normal(rng, 3, 4)
        model = RandomFeatures(4, self.p, rng=rng)
        phi = model.features(2**0.5 * x / x.norm(dim=1, keepdim=True))
        return Given(phi, normal(rng, self.draws, self.p), self.p**-0.5)

    def predict(self, given: Given) -> list[float]:
        k = given.K
        return [float(k[0, 0]), float(k[0, 1]), float(k[1, 2]), 3.0]

    def measure(self, given: Given) -> list[Sample]:
        f = given.factor * given.theta @ given.phi.T
        pairs = [f[:, i] * f[:, j] for i, j in ((0, 0), (0, 1), (1, 2))]
        return [Sample(v) for v in (*pairs, f[:, 0] ** 4 / given.K[0, 0] ** 2)]
