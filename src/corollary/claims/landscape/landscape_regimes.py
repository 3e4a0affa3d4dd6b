r"""Three regimes of the loss landscape: linear, small and wide networks.

Where gradient descent ends depends on the network:

* *linear*: every local minimum is global, and random starts reach the least loss;
* *small*: a ReLU student with as many units as its orthonormal teacher, six or more, has spurious
  local minima, and a positive share of random starts ends in one (for twelve units about half,
  while the loss of the best student is 0);
* *over-parameterised*: with many more units than points, every start reaches zero loss.

Measured are the share of linear runs within :math:`10^{-3}` of the optimum and of wide runs with a
loss below :math:`10^{-4}`, which are at least 9 in 10 with 99 % confidence, and the share of
students that end above 0.01, which is at least a fifth.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6, introduction, and Section 5,
    Challenges; Safran and Shamir (2018), "Spurious local minima are common in two-layer ReLU neural
    networks", Table 1.
:kind: experiment
:cost: seconds
:uses: kawaguchi
:covers: landscape-regimes
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Count, Suppose, at_least, normal, option
from corollary.theory.landscape.student_teacher import student_teacher_loss
from corollary.theory.landscape.two_layer_linear import reduced_rank_loss

BAD = 0.01  # spurious minima of twelve units have losses of 0.016 and more
POINTS = 8  # that the wide network fits


class Given(NamedTuple):
    units: int  # of the teacher, which are orthonormal
    student: int  # units of the student
    wide: int  # units of the wide network


class LandscapeRegimes(Claim[Given]):
    units: int = option(12, low=2, high=20)  # units of teacher and student
    starts: int = option(96, low=64, high=1000)  # starts of each kind of network
    steps: int = option(400, low=100, high=10_000)  # steps of gradient descent with momentum

    relation = at_least()  # shares with their Clopper-Pearson intervals
    supposes = (
        Suppose(
            "the teacher has at least six units",
            lambda g: g.units - 5,
            "If teacher and student have three units, every student finds its teacher.",
            units=3,
            student=3,
        ),
        Suppose(
            "the student has no more units",
            lambda g: g.units - g.student + 1,
            "A student with twice the units has no spurious minima.",
            student=lambda g: 2 * g.units,
        ),
        Suppose(
            "the wide network has more units than points",
            lambda g: g.wide - POINTS,
            "A network with two units does not fit eight points.",
            wide=2,
        ),
    )
    symbols = "share, at least", "share of the starts"
    predicts = [0.9, 0.9, 0.2]
    rows = ("linear: optimal", "wide: zero loss", "small: spurious")
    shows = Along("Where gradient descent ends", x="network")

    def given(self, rng: Generator) -> Given:
        return Given(self.units, self.units, 200)

    def measure(self, given: Given, rng: Generator) -> list[Count]:
        x, noise = torch.linalg.qr(normal(rng, 20, 4)).Q, normal(rng, 20, 4)
        y = x / torch.arange(1, 5) + 0.05 * noise
        u, v = normal(rng, POINTS, POINTS), normal(rng, POINTS, 1)
        teacher = torch.eye(given.units, dtype=torch.float64)

        def linear(A: Tensor, B: Tensor) -> Tensor:
            error: Tensor = x @ B @ A - y
            return 0.5 * error.square().sum(dim=(1, 2)) - reduced_rank_loss(x.T, y.T, 2)

        def wide(W: Tensor, a: Tensor) -> Tensor:
            error: Tensor = (u @ W).relu() @ a - v
            return 0.5 * error.square().sum(dim=(1, 2))

        def small(W: Tensor) -> Tensor:
            return student_teacher_loss(W, teacher)

        rate = 0.1 * given.units / given.student
        ends = self.ends(linear, 0.1, [(2, 4), (4, 2)], rng)
        fitted = self.ends(wide, 0.2 / given.wide, [(POINTS, given.wide), (given.wide, 1)], rng)
        students = self.ends(small, rate, [(given.student, given.units)], rng)
        hits = (ends < 1e-3, fitted < 1e-4, students > BAD)
        return [Count(int(h.sum()), self.starts) for h in hits]

    def ends(
        self,
        loss: Callable[..., Tensor],
        rate: float,
        shapes: list[tuple[int, int]],
        rng: Generator,
    ) -> Tensor:
        """Last losses of many networks, trained side by side from Gaussian starts."""
        draws = [(normal(rng, self.starts, *s) / s[0] ** 0.5).requires_grad_() for s in shapes]
        sgd = torch.optim.SGD(draws, lr=rate, momentum=0.9)
        for _ in range(self.steps):
            sgd.zero_grad()
            loss(*draws).sum().backward()
            sgd.step()
        return loss(*draws).detach()
