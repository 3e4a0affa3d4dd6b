r"""A shift of positions is a rotation.

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
:cost: instant
:covers: sinusoidal-positional-encoding
:erratum: [wrong] Perez Jensen (2025) has omega_k = C^{k/d} for coordinate k: the frequencies grow,
    and sine and cosine of a pair differ in theirs, so no rotation exists. The counterexample here
    has these frequencies.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, HeatMap, Hypothesis, Points, equals, option
from corollary.theory.sequences.positions import clock_hands, frequencies, rotation


class Given(NamedTuple):
    """Times, a shift, and the frequencies of sines and cosines."""

    times: Float[Tensor, " T"]
    s: float
    sine: Float[Tensor, " k"]
    cosine: Float[Tensor, " k"]


@dataclass(frozen=True)
class PositionalShift(Claim[Given]):
    """The encodings of later times against rotated ones of earlier times."""

    T: int = option(50, low=2, high=1000)  # positions
    pairs: int = option(8, high=256)  # pairs of sine and cosine, d/2
    base: float = option(1e4, low=1.5, high=1e6)  # C, ratio of fastest to slowest frequency
    relation = equals(ulps=1024, scale=1.0)  # angles up to T + s are rounded before the sine

    def given(self, rng: Generator) -> Given:
        """All positions and a random shift."""
        s = int(torch.randint(1, 20, (), generator=rng))
        omega = frequencies(2 * self.pairs, self.base)
        return Given(torch.arange(self.T, dtype=torch.float64), float(s), omega, omega)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Pairs that turn."""
        same = torch.equal(given.sine, given.cosine)
        yield Hypothesis("sine and cosine of a pair have one frequency", same)

    def predict(self, given: Given) -> list[float]:
        """The encodings, rotated."""
        P = clock_hands(given.times, given.sine, given.cosine)
        return (P @ rotation(given.s * given.sine).T).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The encodings of the shifted times."""
        return clock_hands(given.times + given.s, given.sine, given.cosine).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The frequencies printed in the notes."""
        return self.given(rng)._replace(**_printed(2 * self.pairs, self.base))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The encodings, and the length of an encoding over time."""
        d = 2 * len(given.sine)
        P = clock_hands(given.times, given.sine, given.cosine)
        T = len(given.times)
        wrong = clock_hands(given.times, **_printed(d, self.base))
        table = HeatMap(P.tolist(), x=(0, d), y=(0, T), label="PE(t)")
        lengths = (
            Curve([d / 2] * T, given.times, label="d/2: a rotation keeps lengths",
                  role="predicted"),
            Points(given.times, P.square().sum(dim=1), label="‖PE(t)‖²"),
            Curve(wrong.square().sum(dim=1), given.times, label="frequencies C^(k/d) of the notes",
                  role="other"),
        )  # fmt: skip
        return (
            Figure("Sinusoidal positions", x="coordinate", y="position t", marks=(table,)),
            Figure("Lengths of encodings", x="position t", y="‖PE(t)‖²", marks=lengths),
        )


def _printed(d: int, base: float) -> dict[str, Tensor]:
    """The growing frequencies, one for each coordinate."""
    omega = base ** (torch.arange(d, dtype=torch.float64) / d)
    return {"sine": omega[::2], "cosine": omega[1::2]}
