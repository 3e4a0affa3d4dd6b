r"""Inner products of sinusoidal positions depend on the distance only.

The product of two sinusoidal encodings depends on their distance alone,

.. math:: \langle\mathrm{PE}(t),\mathrm{PE}(t')\rangle=\sum_{i=0}^{d/2-1}\cos(\omega_i(t-t')),
   \qquad\|\mathrm{PE}(t)\|^2=\frac d2,

so their Gram matrix is Toeplitz. It needs sine and cosine of each pair to have one frequency.

:source: Perez Jensen (2025), Deep Learning, Section 6.3; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.3.
:kind: identity
:uses: positional_shift
:covers: sinusoidal-positional-encoding
:erratum: [wrong] With the frequencies omega_k = C^{k/d} of Perez Jensen (2025), one per coordinate,
    the Gram matrix is not Toeplitz: the counterexample here.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Marks, Points, Suppose, Trial, equals, option, picture
from corollary.theory.sequences.positions import clock_hands, frequencies


class Given(NamedTuple):
    t: Float[Tensor, " n"]  # times
    u: Float[Tensor, " n"]  # others
    sine: Float[Tensor, " k"]  # frequencies of the sines
    cosine: Float[Tensor, " k"]  # frequencies of the cosines


def printed(self: "PositionalDistance", given: Given) -> Given:
    """With the printed frequencies, one per coordinate, the product depends on more than t − t′."""
    omega = self.base ** (torch.arange(2 * self.pairs).double() / (2 * self.pairs))
    return given._replace(sine=omega[::2], cosine=omega[1::2])


def of_distance(gap: Float[Tensor, " n"], omega: Float[Tensor, " k"]) -> Float[Tensor, " n"]:
    """The sum of cosines."""
    return (gap[:, None] * omega).cos().sum(dim=1)


class PositionalDistance(Claim[Given]):
    n: int = option(200, low=4, high=10_000)  # pairs of positions
    T: int = option(100, low=2, high=10_000)  # the largest position
    pairs: int = option(16, high=256)  # pairs of sine and cosine, d/2
    base: float = option(1e4, low=1.5, high=1e6)  # C, ratio of the fastest to the slowest frequency

    relation = equals(ulps=4096, scale=1.0)  # d terms, with angles rounded at up to T
    supposes = Suppose(
        "sine and cosine of a pair have one frequency",
        lambda g: torch.equal(g.sine, g.cosine),
        without=printed,
    )
    symbols = "Σ cos ωᵢ(t−t′)", "⟨PE(t), PE(t′)⟩"

    def given(self, rng: Generator) -> Given:
        """Random positions, the first pair equal."""
        t, u = torch.randint(0, self.T, (2, self.n), generator=rng).double()
        u[0] = t[0]
        omega = frequencies(2 * self.pairs, self.base)
        return Given(t, u, omega, omega)

    def predict(self, given: Given) -> Tensor:
        return of_distance(given.t - given.u, given.sine)

    def measure(self, given: Given) -> Tensor:
        P, R = (clock_hands(times, given.sine, given.cosine) for times in (given.t, given.u))
        return (P * R).sum(dim=1)

    @picture("Nearby positions have similar encodings", x="distance t − t′", y="product")
    def marks(self, trial: Trial[Given]) -> Marks:
        gap = torch.linspace(-float(self.T), float(self.T), 401, dtype=torch.float64)
        law = of_distance(gap, trial.given.sine)
        yield Curve(law, gap, label=self.symbols[0], role="predicted")
        yield Points(trial.given.t - trial.given.u, trial.measured, label=self.symbols[1])
