r"""Number of Boolean functions that one McCulloch-Pitts unit can compute.

A unit :math:`f(x)=\mathbb{1}\{\sigma\cdot x\ge\theta\}` on :math:`x\in\{0,1\}^n` with synapses
:math:`\sigma\in\{-1,+1\}^n` fires on a Hamming ball: the inputs that differ from the corner
favoured by :math:`\sigma` in few places. A ball other than nothing and everything determines its
corner and its radius, so over all synapses and thresholds there are exactly

.. math:: 2+n\,2^n

functions among the :math:`2^{2^n}`. Parity, for :math:`n=2` the exclusive or, is never among them:
it changes with each step away from any corner, and a ball is left once at most. At :math:`n=2` the
copies of a single input are missing too, since no synapse may be 0; with zeros allowed, 14
functions are reached, and exclusive or is still not.

:source: Perez Jensen (2025), Deep Learning, Section 1.1; McCulloch and Pitts (1943), "A logical
    calculus of the ideas immanent in nervous activity".
:kind: theorem
:covers: mcculloch-pitts-neuron
"""

from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Marks, Points, Suppose, Trial, equals, option, picture
from corollary.models.mcculloch_pitts import boolean_cube


class Given(NamedTuple):
    values: tuple[int, ...]  # what a synapse may be
    sizes: tuple[int, ...]  # numbers of inputs


def reachable(n: int, values: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Truth tables of all units with ``n`` inputs: every synapse vector, every threshold."""
    synapses = torch.cartesian_prod(*[torch.tensor(values)] * n).reshape(-1, n)
    drive = synapses @ boolean_cube(n).T  # synapse vectors by inputs
    most = n * max(abs(v) for v in values)
    thresholds = torch.arange(-most, most + 2)  # the drive is a whole number in [-most, most]
    fires = drive[:, None] >= thresholds[:, None]
    return set(map(tuple, fires.reshape(-1, 2**n).int().unique(dim=0).tolist()))


def parity(n: int) -> tuple[int, ...]:
    """Truth table of "an odd number of inputs is on"."""
    return tuple((boolean_cube(n).sum(dim=1) % 2).tolist())


class McCullochPittsReach(Claim[Given]):
    n: int = option(4, low=2, high=6)  # inputs, from 2 up to this many

    relation = equals()  # whole numbers
    supposes = (
        Suppose(
            "no synapse is absent",
            lambda g: min(abs(v) for v in g.values),
            "Units that may ignore an input compute more functions.",
            values=(-1, 0, 1),
        ),
        Suppose(
            "all synapses are equally strong",
            lambda g: len({abs(v) for v in g.values}) == 1,
            "Synapses of two strengths reach more functions.",
            values=(-2, -1, 1, 2),
        ),
        Suppose(
            "synapses may inhibit",
            lambda g: -min(g.values),
            "Without inhibition, a unit can only count active inputs.",
            values=(1,),
        ),
    )
    symbols = "2 + n 2ⁿ, without parity", "functions of one unit"
    rows = *(f"functions of {n} inputs" for n in (2, 3, 4)), "parities"

    def given(self, rng: Generator) -> Given:
        return Given((-1, 1), tuple(range(2, self.n + 1)))

    def predict(self, given: Given) -> list[float]:
        return [*(2.0 + n * 2**n for n in given.sizes), 0.0]

    def measure(self, given: Given) -> list[float]:
        tables = [reachable(n, given.values) for n in given.sizes]
        parities = sum(parity(n) in t for n, t in zip(given.sizes, tables, strict=True))
        return [*(float(len(t)) for t in tables), float(parities)]

    @picture("One unit computes few functions", x="inputs n", y="functions", log="y")
    def marks(self, trial: Trial[Given]) -> Marks:
        n, k = trial.given.sizes, len(trial.given.sizes)
        yield Curve(trial.predicted[:k], x=n, label="2 + n 2ⁿ", role="predicted")
        yield Points(n, trial.measured[:k], label="reached by one unit")
        yield Curve([2.0**2**i for i in n], x=n, label="all Boolean functions", role="other")
