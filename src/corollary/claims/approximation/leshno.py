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
:uses: monomial_differences, nonvanishing_derivatives, bernstein_weierstrass, interval_change
:covers: leshno-theorem
:erratum: [typo] The proof says that a k-th degree polynomial has sigma^{(k)} = 0; it is
    sigma^{(k+1)} = 0 (x^2 has second derivative 2). The converse should read: if sigma is not a
    polynomial, no derivative vanishes identically.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from corollary.core import Claim, Over, Series, Suppose, converges
from corollary.models.approximators.shallow import fit_superposition

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "exp": torch.exp,
    "sin": torch.sin,
    "sigmoid": torch.sigmoid,
    "softplus": F.softplus,
}
WIDTHS = (2, 4, 8, 16, 32)
X = torch.linspace(-1, 1, 1501, dtype=torch.float64)[:, None]
Z = torch.arange(-8.0, 9.0, dtype=torch.float64)  # ninth differences of a polynomial are 0


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # on [-1, 1]
    sigma: Callable[[Tensor], Tensor]  # activation


class Leshno(Claim[Given]):
    activation: Literal["exp", "sin", "sigmoid", "softplus"] = "softplus"  # sigma

    relation = converges(gap=0.02)  # random inner weights, fitted outer weights, width 32
    supposes = (
        Suppose(
            "f is continuous",
            lambda g: 0.01 - g.f(X).diff().abs().max(),
            "For a step function, the error stays at half of the jump.",
            f=lambda g: lambda x: (x[:, 0] > 0).to(x.dtype),
        ),
        Suppose(
            "σ is no polynomial",
            lambda g: g.sigma(Z).diff(n=9).abs().max() > 1e-6,
            "With the square as activation, the error for x³ stays at 1/4.",
            sigma=lambda g: torch.square,
        ),
    )
    symbols = "0", "‖G − f‖∞"
    predicts = 0.0
    shows = Over(
        "Sup error with a smooth activation that is not a polynomial", x="width m", log="xy"
    )

    def given(self, rng: Generator) -> Given:
        return Given(lambda x: x[:, 0] ** 3, ACTIVATIONS[self.activation])

    def measure(self, given: Given, rng: Generator) -> Series:
        def error(m: int) -> float:
            net = fit_superposition(
                given.f, given.sigma, m, scale=4.0, low=-1.0, points=400, rng=rng
            )
            return float((net(X) - given.f(X)).detach().abs().max())

        return Series(WIDTHS, [error(m) for m in WIDTHS])
