r"""McDiarmid's inequality.

If :math:`g(x_1,\dots,x_n)` moves by at most :math:`c_i` when only :math:`x_i` changes, then for
independent :math:`X_1,\dots,X_n`

.. math:: P\bigl(|g(X_1,\dots,X_n)-\mathbb Eg(X_1,\dots,X_n)|\ge\epsilon\bigr)
   \le2\exp\Bigl(-\frac{2\epsilon^2}{\sum_ic_i^2}\Bigr).

With :math:`c_i=1/n` it covers the largest deviation :math:`\sup_f(\mathbb Ef-\hat{\mathbb E}_Sf)`
of any class of functions in [0, 1], and for the mean it is Hoeffding's inequality.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.4, footnote 2; McDiarmid (1989), "On
    the method of bounded differences".
:kind: bound
:uses: hoeffding
:covers: mcdiarmid-inequality
:erratum: [wrong] The footnote takes f on n variables but bounds |mean of f(X_i) - E f(X)|, which
    has f on one variable; the deviation is |f(X_1, ..., X_n) - E f(X_1, ..., X_n)|. With f on one
    variable and range 1 the printed right-hand side would be 2 exp(-2 eps^2 / n), which is 1.9996
    at n = 100 and eps = 0.1, where Hoeffding's is 0.2707.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.generalization._draws import are_independent, tail
from corollary.core import Claim, Count, Kept, Suppose, Trial, at_most, option, uniform
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.generalization.deviations import (
    bounded_differences,
    mcdiarmid_deviation,
    mcdiarmid_probability,
)


def largest_gap(x: Float[Tensor, "t n"]) -> Float[Tensor, " t"]:
    """The largest deviation of a threshold on uniform points."""
    n = x.shape[1]
    return (x.sort(dim=1).values - torch.arange(n, dtype=x.dtype) / n).amax(dim=1)


def mean(x: Float[Tensor, "t n"]) -> Float[Tensor, " t"]:
    """The mean of each sample."""
    return x.mean(dim=1)


class Given(NamedTuple):
    """Repeated samples, the function g, the differences it is said to have, and a deviation."""

    x: Float[Tensor, "t n"]
    g: Callable[[Tensor], Tensor]
    c: float
    eps: float


def moves_little(given: Given) -> tuple[bool, str]:
    """The largest change of g, tried by exchanging coordinates."""
    rng = torch.Generator().manual_seed(0)
    largest = float(bounded_differences(given.g, given.x[:100], rng=rng).max())
    words = f"largest change {largest:.3g}, c = {given.c:.3g}"
    return largest <= given.c * (1 + 1e-9), words


class Mcdiarmid(Claim[Given]):
    n: int = option(50, low=5, high=500)  # variables
    g: Literal["largest deviation", "mean"] = "largest deviation"  # the function
    delta: float = option(0.6, low=0.01, high=1.9)  # value of the bound at the tested deviation
    trials: int = option(40000, low=1000, high=100000)  # repetitions; half of them estimate E g

    relation = at_most(level=0.999)  # the exact binomial interval of the failure rate
    supposes = (
        Suppose(
            "changing one variable moves g by at most c",
            moves_little,
            "g depends on the first variable alone, which changes g by its whole range.",
            g=lambda _: lambda x: x[:, 0],
        ),
        Suppose(
            "the variables are independent",
            lambda g: are_independent(g.x),
            "All variables are equal, so deviations do not cancel.",
            x=lambda g: g.x[:, :1].expand_as(g.x),
        ),
    )
    symbols = "2 exp(−2ε²/Σc²)", "P(|g − E g| ≥ ε)"

    def given(self, rng: Generator) -> Given:
        x, c = uniform(rng, self.trials, self.n), 1 / self.n
        eps = mcdiarmid_deviation(self.delta / 2, [c] * self.n, sides=1)
        return Given(x, mean if self.g == "mean" else largest_gap, c, eps)

    def predict(self, given: Given) -> float:
        return mcdiarmid_probability(given.eps, [given.c] * given.x.shape[1])

    def measure(self, given: Given) -> Kept:
        values = given.g(given.x)
        half = len(values) // 2
        off = (values[half:] - values[:half].mean()).abs()
        return Kept(Count(int((off >= given.eps).sum()), len(off)), off=off)

    def tight(self) -> Given:
        """One throw of a fair coin is always off by 1/2, where the bound is 2 e^(−1/2)."""
        coin = torch.tensor([[0.0], [1.0]], dtype=torch.float64)
        return Given(coin.repeat(1000, 1), mean, 1.0, 0.5)

    @picture("Probability that g deviates, g = {g} of {n} variables", x="ε", log="y")
    def marks(self, trial: Trial[Given]) -> Marks:
        x, _, c, eps = trial.given
        grid = [1.3 * eps * i / 24 for i in range(1, 25)]
        bound = [min(1.0, mcdiarmid_probability(v, [c] * x.shape[1])) for v in grid]
        yield Curve(bound, grid, label=self.symbols[0], role="predicted")
        yield tail(trial.kept.off, grid, "share of samples")
