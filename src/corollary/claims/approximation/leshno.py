r"""Every smooth activation that is not a polynomial is universal.

If :math:`\sigma\in C^\infty(\mathbb{R})` is not a polynomial, the span of
:math:`\{\sigma(ax+b)\}` is dense in :math:`C(K)` for every compact :math:`K\subset\mathbb{R}`:

.. math:: \inf\Bigl\|f-\sum_{i=1}^mc_i\,\sigma(a_ix+b_i)\Bigr\|_\infty\to0\qquad(m\to\infty).

Continuity of :math:`\sigma` is enough. A polynomial of degree q spans only polynomials of degree q:
for :math:`\sigma(z)=z^2` the error for :math:`x^3` on [-1, 1] is 1/4 or more at every width.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Theorem 19 and Figure 3.2; Perez
    Jensen (2025), Deep Learning, Section 2.4, Theorem 2.5; Leshno, Lin, Pinkus and Schocken (1993),
    Multilayer feedforward networks with a nonpolynomial activation function.
:kind: theorem
:cost: instant
:covers: leshno-theorem
:erratum: [typo] The proof says that a k-th degree polynomial has sigma^{(k)} = 0; it is
    sigma^{(k+1)} = 0 (x^2 has second derivative 2). The converse should read: if sigma is not a
    polynomial, no derivative vanishes identically.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Series,
    converges,
    generator,
)
from corollary.models.approximators.shallow import fit_superposition
from corollary.theory.approximation.nonvanishing import polynomial_degree

ACTIVATIONS = {"exp": torch.exp, "sin": torch.sin, "sigmoid": torch.sigmoid, "softplus": F.softplus}
WIDTHS = (2, 4, 8, 16, 32)


class Given(NamedTuple):
    """An activation, and the seed of the inner weights."""

    sigma: Callable[[Tensor], Tensor]
    seed: int


@dataclass(frozen=True)
class Leshno(Claim[Given]):
    """The sup error for a cubic wave on [-1, 1] as the width grows."""

    activation: Literal["exp", "sin", "sigmoid", "softplus"] = "softplus"  # sigma
    relation = converges(gap=0.02)  # random inner weights, fitted outer weights, width 32

    def given(self, rng: Generator) -> Given:
        """The activation and a seed."""
        seed = int(torch.randint(2**31, (1,), generator=rng))
        return Given(ACTIVATIONS[self.activation], seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Not a polynomial, as far as fits of low degree can tell."""
        degree = polynomial_degree(given.sigma)
        yield Hypothesis("the activation is not a polynomial", degree is None,
                         "" if degree is None else f"degree {degree}")  # fmt: skip

    def predict(self, given: Given) -> float:
        """The limit."""
        return 0.0

    def measure(self, given: Given) -> Series:
        """Sup errors over the width."""
        return Series(WIDTHS, [_error(given.sigma, m, given.seed) for m in WIDTHS])

    def counterexample(self, rng: Generator) -> Given:
        """A square."""
        return Given(torch.square, int(torch.randint(2**31, (1,), generator=rng)))

    def figure(self, given: Given) -> Figure:
        """All activations, and a square."""
        curves = [
            Curve([_error(s, m, given.seed) for m in WIDTHS], WIDTHS, label=name)
            for name, s in ACTIVATIONS.items()
        ]
        square = [_error(torch.square, m, given.seed) for m in WIDTHS]
        return Figure(
            "Not a polynomial, hence universal",
            x="m",
            y="‖G − f‖∞",
            log_x=True,
            log_y=True,
            marks=(
                *curves,
                Curve(square, WIDTHS, label="z²", role="other"),
                Level(0.25, label="no quadratic is closer, 1/4", role="other"),
            ),
        )


def target(x: Tensor) -> Tensor:
    """The cubic x³ on points (n, 1)."""
    return x[:, 0] ** 3


@lru_cache(maxsize=64)
def _error(sigma: Callable[[Tensor], Tensor], m: int, seed: int) -> float:
    net = fit_superposition(
        target, sigma, m, scale=4.0, low=-1.0, high=1.0, points=400, rng=generator(seed)
    )
    x = torch.linspace(-1, 1, 1501, dtype=torch.float64)[:, None]
    return float((net(x) - target(x)).abs().max().detach())
