r"""Sinusoidal positions: a shift of positions is a rotation.

For sinusoidal positions, :math:`\mathrm{PE}(t)_{2i}=\sin(t\omega_i)` and
:math:`\mathrm{PE}(t)_{2i+1}=\cos(t\omega_i)`,

.. math:: \mathrm{PE}(t+s)=R_s\,\mathrm{PE}(t),\qquad R_s=\operatorname{diag}\begin{pmatrix}
   \cos s\omega_i&\sin s\omega_i\\-\sin s\omega_i&\cos s\omega_i\end{pmatrix}_i,

one rotation for all t: a linear layer can look s positions ahead. Sine and cosine of a pair must
have the same frequency.

:source: Perez Jensen (2025), Deep Learning, Section 6.3; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.3; Vaswani, Shazeer, Parmar et al. (2017), "Attention is all you need",
    Section 3.5.
:kind: identity
:covers: sinusoidal-positional-encoding
:erratum: [wrong] Perez Jensen (2025) has omega_k = C^{k/d} for coordinate k: the frequencies grow,
    and sine and cosine of a pair differ in theirs, so no rotation exists. The counterexample here
    has these frequencies.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, option
from corollary.core.picture import Curve, Figure, HeatMap, Level, Points
from corollary.theory.sequences.positions import clock_hands, frequencies, rotation


class Given(NamedTuple):
    times: Float[Tensor, " T"]
    s: float  # the shift
    sine: Float[Tensor, " k"]  # frequencies of the sines
    cosine: Float[Tensor, " k"]  # frequencies of the cosines


def printed(self: "PositionalShift", given: Given) -> Given:
    """With the frequencies printed in the notes, one per coordinate, a shift is not a rotation."""
    omega = self.base ** (torch.arange(2 * self.pairs).double() / (2 * self.pairs))
    return given._replace(sine=omega[::2], cosine=omega[1::2])


class PositionalShift(Claim[Given]):
    T: int = option(50, low=2, high=1000)  # positions
    pairs: int = option(8, high=256)  # pairs of sine and cosine, d/2
    base: float = option(1e4, low=1.5, high=1e6)  # C, ratio of the fastest to the slowest frequency

    relation = equals(ulps=1024, scale=1.0)  # angles up to T + s are rounded before the sine
    supposes = Suppose(
        "sine and cosine of a pair have one frequency",
        lambda g: torch.equal(g.sine, g.cosine),
        without=printed,
    )
    symbols = "R_s PE(t)", "PE(t + s)"

    def given(self, rng: Generator) -> Given:
        s = int(torch.randint(1, 20, (), generator=rng))
        omega = frequencies(2 * self.pairs, self.base)
        return Given(torch.arange(self.T, dtype=torch.float64), float(s), omega, omega)

    def predict(self, given: Given) -> Tensor:
        P = clock_hands(given.times, given.sine, given.cosine)
        return (P @ rotation(given.s * given.sine).T).flatten()

    def measure(self, given: Given) -> Tensor:
        return clock_hands(given.times + given.s, given.sine, given.cosine).flatten()

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        """The encodings, and the length of an encoding over time."""
        t, d = trial.given.times, 2 * len(trial.given.sine)
        P = clock_hands(t, trial.given.sine, trial.given.cosine)
        wrong = (clock_hands(t, *broken.given[2:]) for broken in trial.without)
        label = "frequencies C^(k/d) of the notes"
        table = HeatMap(P.tolist(), x=(0, d), y=(0, len(t)), label="PE(t)")
        lengths = (
            Level(d / 2, label="d/2: a rotation keeps lengths"),
            Points(t, P.square().sum(dim=1), label="‖PE(t)‖²"),
            *(Curve(W.square().sum(dim=1), t, label=label, role="other") for W in wrong),
        )
        return (
            Figure("Sinusoidal positions", x="coordinate", y="position t", marks=(table,)),
            Figure("Lengths of encodings", x="position t", y="‖PE(t)‖²", marks=lengths),
        )
