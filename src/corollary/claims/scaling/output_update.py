r"""The change of the output by one step, over the width.

A weight with fan-in :math:`n^f` and fan-out :math:`n^o` is :math:`n^{-a}w`, drawn with standard
deviation :math:`n^{-b}` and trained with the learning rate :math:`\eta n^{-c}`. Under muP, with
:math:`a=\max(f-o,0)`, :math:`b=\min(f,o)/2` and :math:`c=-|f-o|`, one small step of SGD on a
network with two hidden layers of width n changes its output by

.. math:: |\Delta f|\propto n^0,

so a learning rate chosen at one width is as large at another. With the standard parametrisation the
change grows like n: the wide network diverges at the learning rate of the narrow one.

:source: Yang and Hu (2021), "Tensor programs IV: feature learning in infinite-width neural
    networks", Section 5; Yang, Hu, Babuschkin et al. (2022), "Tensor programs V", Table 3.
:kind: rate
:cost: seconds
:uses: ntk_parametrization
:beyond: The notes have the NTK parametrisation; this claim has the one under which learning rates
    transfer to wider networks.
"""

import statistics
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, normal, option, slope
from corollary.theory.scaling.abc import ABC, MUP, STANDARD, Optimizer, Parametrisation, Role
from corollary.theory.scaling.exponents import chain, exponents

STEP = 1e-3  # so small that the change is a derivative
ROLES = (Role.INPUT, Role.HIDDEN, Role.OUTPUT)


def rules(p: Parametrisation) -> tuple[ABC, ...]:
    """The exponents of the three weights."""
    return tuple(p.of(role, Optimizer.SGD) for role in ROLES)


class Given(NamedTuple):
    x: Float[Tensor, "k d"]  # inputs
    slope: Float[Tensor, " k"]  # derivative of the loss in each output
    rules: tuple[ABC, ...]  # exponents of the weights


class OutputUpdate(Claim[Given]):
    widths: tuple[int, ...] = (64, 128, 256, 512)  # widths
    draws: int = option(40, low=4, high=500)  # networks of each width

    relation = slope(gap=0.2)  # corrections fall like n^(-1/2), and draws leave 0.1
    supposes = Suppose(
        "multipliers, initial scales and learning rates are those of muP",
        lambda g: (g.rules == rules(MUP), "a, b, c = " + ", ".join(map(str, map(tuple, g.rules)))),
        "In the standard parametrisation, the change grows like the width.",
        rules=lambda: rules(STANDARD),
    )
    symbols = "exponent of the change under muP", "median |Δf|"
    shows = Over("One step changes the output by as much at every width", x="width n")

    def given(self, rng: Generator) -> Given:
        x = normal(rng, 4, 6)
        return Given(x / x.norm(dim=1, keepdim=True), normal(rng, 4).sign(), rules(MUP))

    def predict(self, given: Given) -> float:
        stages = chain(2, MUP, Optimizer.SGD)
        return max(sizes.logits for sizes in exponents(stages, Optimizer.SGD).values())

    def measure(self, given: Given, rng: Generator) -> Series:
        return Series(self.widths, [self._median(given, n, rng) for n in self.widths])

    def _median(self, given: Given, n: int, rng: Generator) -> float:
        return statistics.median(_change(given, n, rng) for _ in range(self.draws))


def _change(given: Given, n: int, rng: Generator) -> float:
    """The root mean square change of the outputs of one network."""
    x, direction, abc = given
    shapes = ((n, x.shape[1]), (n, n), (1, n))
    w = [normal(rng, *s) * n**-r.b for s, r in zip(shapes, abc, strict=True)]

    def output(w: list[Tensor]) -> Tensor:
        h = x
        for k, (v, r) in enumerate(zip(w, abc, strict=True)):
            h = n**-r.a * (torch.relu(h) if k else h) @ v.T
        return h[:, 0]

    w = [v.requires_grad_() for v in w]
    before = output(w)
    slopes = torch.autograd.grad((before * direction).mean(), w)
    with torch.no_grad():
        moved = [v - STEP * n**-r.c * g for v, r, g in zip(w, abc, slopes, strict=True)]
        return float((output(moved) - before).square().mean().sqrt())
