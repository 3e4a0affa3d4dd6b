r"""Parametrisations of wide networks, as exponents of the width.

A weight matrix of a network of width n is :math:`W=n^{-a}w`, drawn as
:math:`w_{ij}\sim\mathcal N(0,n^{-2b})` and trained with the learning rate :math:`\eta n^{-c}`. Its
fan-in is of order :math:`n^{f}` and its fan-out of order :math:`n^{o}`, where f and o are 0 or 1:

========  =====  =====
role      f      o
========  =====  =====
input     0      1
hidden    1      1
output    1      0
constant  0      0
========  =====  =====

Biases and the gains of norms are inputs with fan-in 1; so are embeddings, whose input has one entry
that is not zero. A parametrisation is a rule that gives (a, b, c) from (f, o) and the optimizer.

:source: Yang and Hu (2021), "Tensor programs IV: feature learning in infinite-width neural
    networks", Definition 3.1 and Table 1; Yang, Hu, Babuschkin et al. (2022), "Tensor programs V:
    tuning large neural networks via zero-shot hyperparameter transfer", Tables 3 and 8; Yang and
    Littwin (2023), "Tensor programs IVb: adaptive optimization in the infinite-width limit", for
    the learning rates of Adam in the kernel limit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from corollary.errors import InputError


class Role(StrEnum):
    """What grows with the width: fan-out, both, fan-in or neither."""

    INPUT = "input"
    HIDDEN = "hidden"
    OUTPUT = "output"
    CONSTANT = "constant"

    @property
    def f(self) -> int:
        """Exponent of the fan-in."""
        return int(self in (Role.HIDDEN, Role.OUTPUT))

    @property
    def o(self) -> int:
        """Exponent of the fan-out."""
        return int(self in (Role.INPUT, Role.HIDDEN))


def role_of(fan_in_grows: bool, fan_out_grows: bool) -> Role:
    """The role of a matrix, from what grows with the width.

    Example:
        >>> role_of(fan_in_grows=True, fan_out_grows=False)
        <Role.OUTPUT: 'output'>
    """
    return next(r for r in Role if (r.f, r.o) == (int(fan_in_grows), int(fan_out_grows)))


class Optimizer(StrEnum):
    """How an update depends on its gradient: in proportion, or by its sign only."""

    SGD = "sgd"  # also with momentum
    ADAM = "adam"  # also AdamW, Lion, RMSprop: entries of order one whatever the gradient


def optimizer_kind(name: str) -> Optimizer:
    """The kind of an optimizer of torch, by the name of its class.

    Example:
        >>> optimizer_kind("AdamW").value, optimizer_kind("SGD").value
        ('adam', 'sgd')
    """
    word = name.lower()
    if word in ("sgd", "asgd"):
        return Optimizer.SGD
    if word in ("adam", "adamw", "nadam", "radam", "adamax", "rmsprop", "adagrad", "lion"):
        return Optimizer.ADAM
    raise InputError(
        f"expected SGD or an optimizer like Adam, got {name}, whose scaling law is not known"
    )


class ABC(NamedTuple):
    """Exponents of one weight: multiplier, initial scale, learning rate; all with a minus sign."""

    a: float
    b: float
    c: float

    def shifted(self, theta: float, optimizer: Optimizer) -> "ABC":
        r"""The same training with the multiplier :math:`n^{-(a+\theta)}`.

        With SGD the learning rate takes up :math:`\theta` twice, with Adam once: scaling a weight
        scales its gradient inversely, and Adam does not see the scale of a gradient.

        Example:
            >>> ABC(1, 0, 0).shifted(-1, Optimizer.ADAM)  # muP's output without a multiplier
            ABC(a=0, b=1, c=1)

        :source: Yang and Hu (2021), Section 3.1; Yang et al. (2022), Lemma J.1.
        """
        times = 2 if optimizer is Optimizer.SGD else 1
        return ABC(self.a + theta, self.b - theta, self.c - times * theta)


Rule = Callable[[int, int], float]  # of f and o


@dataclass(frozen=True)
class Parametrisation:
    """A rule for each of a, b and c, as functions of f and o.

    Example:
        >>> MUP.of(Role.HIDDEN, Optimizer.ADAM)
        ABC(a=0, b=0.5, c=1)
    """

    name: str
    a: Rule
    b: Rule
    c_sgd: Rule
    c_adam: Rule

    def of(self, role: Role, optimizer: Optimizer) -> ABC:
        """The exponents of a weight in this role."""
        f, o = role.f, role.o
        c = self.c_sgd if optimizer is Optimizer.SGD else self.c_adam
        return ABC(self.a(f, o), self.b(f, o), c(f, o))


def zero(f: int, o: int) -> float:
    """No dependence on the width."""
    return 0


# Outputs and activations of order one at the start, and one learning rate for all widths.
STANDARD = Parametrisation("standard", a=zero, b=lambda f, o: f / 2, c_sgd=zero, c_adam=zero)
# The same network at the start; learning rates with which the tangent kernel stays what it is.
NTK = Parametrisation(
    "NTK", a=lambda f, o: f / 2, b=zero, c_sgd=zero, c_adam=lambda f, o: (f + o) / 2
)
# Sums over neurons are averages, and every single weight moves by order one.
MEAN_FIELD = Parametrisation(
    "mean-field", a=lambda f, o: f, b=zero, c_sgd=lambda f, o: -(f + o), c_adam=zero
)
# Every layer's activations move by order one, as much as they can without blowing up.
MUP = Parametrisation(
    "muP",
    a=lambda f, o: max(f - o, 0),
    b=lambda f, o: min(f, o) / 2,
    c_sgd=lambda f, o: -abs(f - o),
    c_adam=lambda f, o: min(f, o),
)
PARAMETRISATIONS = (STANDARD, NTK, MEAN_FIELD, MUP)
