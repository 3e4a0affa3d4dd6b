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
:cost: instant
:covers: mcdiarmid-inequality
:erratum: [wrong] The footnote takes f on n variables but bounds |mean of f(X_i) - E f(X)|, which
    has f on one variable; the deviation is |f(X_1, ..., X_n) - E f(X_1, ..., X_n)|. With f on one
    variable and range 1 the printed right-hand side would be 2 exp(-2 eps^2 / n), which is 1.9996
    at n = 100 and eps = 0.1, where Hoeffding's is 0.2707.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Count,
    Curve,
    Figure,
    Histogram,
    Hypothesis,
    Level,
    Points,
    at_most,
    option,
)
from corollary.theory.generalization.deviations import (
    bounded_differences,
    mcdiarmid_deviation,
    mcdiarmid_probability,
)


def largest_gap(x: Float[Tensor, "t n"]) -> Float[Tensor, " t"]:
    """The largest deviation of a threshold on uniform points."""
    n = x.shape[1]
    return (x.sort(dim=1).values - torch.arange(n, dtype=x.dtype) / n).amax(dim=1)


FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "largest deviation": largest_gap,
    "mean": lambda x: x.mean(dim=1),
    "first": lambda x: x[:, 0],
}


class Given(NamedTuple):
    """Repeated samples, the function g by name, and the differences it is said to have."""

    x: Float[Tensor, "t n"]
    name: str
    c: float
    seed: int

    def deviations(self) -> Float[Tensor, " t"]:
        """How far g is from its expectation, for the second half of the samples."""
        values = FUNCTIONS[self.name](self.x)
        half = len(values) // 2
        return (values[half:] - values[:half].mean()).abs()


@dataclass(frozen=True)
class Mcdiarmid(Claim[Given]):
    """How often a function of n variables strays further than promised."""

    n: int = option(50, low=5, high=500)  # variables
    g: Literal["largest deviation", "mean"] = "largest deviation"  # the function
    delta: float = option(0.6, low=0.01, high=1.9)  # value of the bound at the deviation looked at
    trials: int = option(40000, low=1000, high=100000)  # repetitions, half of them for E g
    relation = at_most(level=0.999)  # the exact binomial interval of the failure rate

    def given(self, rng: Generator) -> Given:
        """Uniform variables."""
        x = torch.rand(self.trials, self.n, generator=rng, dtype=torch.float64)
        return Given(x, self.g, 1 / self.n, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The differences, tried by exchanging coordinates."""
        rng = torch.Generator().manual_seed(given.seed)
        seen = bounded_differences(FUNCTIONS[given.name], given.x[:100], rng=rng)
        largest = float(seen.max())
        yield Hypothesis(
            "changing one variable moves g by at most c",
            largest <= given.c * (1 + 1e-9),
            f"largest change {largest:.3g}, c = {given.c:.3g}",
        )

    def predict(self, given: Given) -> float:
        """The bound at the deviation looked at."""
        return mcdiarmid_probability(self._eps(given), [given.c] * given.x.shape[1])

    def measure(self, given: Given) -> Count:
        """Samples on which g is that far from its expectation."""
        off = given.deviations()
        return Count(int((off >= self._eps(given)).sum()), len(off))

    def counterexample(self, rng: Generator) -> Given:
        """The first variable alone: it moves g by all of its range."""
        return self.given(rng)._replace(name="first")

    def _eps(self, given: Given) -> float:
        c = [given.c] * given.x.shape[1]
        return mcdiarmid_deviation(self.delta / 2, c, sides=1)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The tail, and the law of g with the promised interval around its mean."""
        off, n = given.deviations(), given.x.shape[1]
        grid = [1.3 * self._eps(given) * i / 24 for i in range(1, 25)]
        found = [Count(int((off >= e).sum()), len(off)).read(0.99) for e in grid]
        seen = [(e, r) for e, r in zip(grid, found, strict=True) if r.value > 0]
        bound = [min(1.0, mcdiarmid_probability(e, [given.c] * n)) for e in grid]
        tail = Figure(
            f"g = {given.name} of n = {n} variables",
            x="ε",
            y="P(|g − E g| ≥ ε)",
            log_y=True,
            marks=(
                Curve(bound, grid, label="2 exp(−2ε²/Σc²)", role="predicted"),
                Points([e for e, _ in seen], [r.value for _, r in seen], label="share of samples",
                       low=[max(r.low, 1e-6) for _, r in seen], high=[r.high for _, r in seen]),
            ),
        )  # fmt: skip
        values = FUNCTIONS[given.name](given.x)
        centre, e = float(values.mean()), self._eps(given)
        law = Figure(
            "A function of many variables is nearly constant",
            x="g",
            y="density over samples",
            marks=(
                Histogram(values, label="g"),
                Level(centre, label="E g", role="other", axis="x"),
                Level(centre - e, label="E g − ε", axis="x"),
                Level(centre + e, label="E g + ε", axis="x"),
            ),
        )
        return tail, law
