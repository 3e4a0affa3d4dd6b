r"""Exponents of the depth of residual networks.

A network of L blocks is :math:`x_{l+1} = x_l + L^{-\alpha} f_l(x_l)`, where every :math:`f_l` is of
order one; its blocks are trained with the learning rate :math:`\eta L^{-c}`. Sizes are powers of L:

* the sum of L independent branches has the exponent :math:`s=\max(0,\tfrac12-\alpha)`; this needs
  a norm before every branch. Without norms :math:`f_l` grows with :math:`x_l`, and for
  :math:`\alpha<1/2` the activations grow exponentially;
* a norm before the output divides the gradient by the size of the sum: it has the exponent
  :math:`g=-s`, and 0 without this norm;
* a step on one block moves its :math:`f_l` by :math:`u=g-\alpha-c` with SGD, and by :math:`u=-c`
  with Adam, whose steps do not depend on the size of the gradient;
* the output moves by :math:`u-\alpha+g` through one block. Changes along the gradient add up, so
  through all L blocks it moves by :math:`1+u-\alpha+g`.

With :math:`\alpha=1/2` the last exponent is zero for c = 0 with SGD, and for c = 1/2 with Adam. In
deep networks with norms and :math:`\alpha=0`, the first blocks count more than the last ones:
sums such as :math:`\sum_l 1/l` then add a factor :math:`\log L`.

:source: Yang, Yu, Zhu and Hayou (2023), "Tensor programs VI: feature learning in infinite-depth
    neural networks", Section 2 and Table 1; Bordelon, Noci, Li, Hanin and Pehlevan (2023),
    "Depthwise hyperparameter transfer in residual networks: dynamics and scaling limit".
"""

import math
from enum import StrEnum
from typing import NamedTuple

from corollary.theory.scaling.abc import Optimizer
from corollary.theory.scaling.exponents import Sizes

BRANCH = 0.5  # the alpha with which a learning rate transfers


class Place(StrEnum):
    """Where a layer is: in the blocks, of which there are L, or outside them."""

    REPEATED = "repeated"
    ONCE = "once"


class DepthRule(NamedTuple):
    """Exponents of the branches and of the learning rates of blocks; both with a minus sign."""

    alpha: float
    c: float


def transferring(optimizer: Optimizer) -> DepthRule:
    """The rule with which the output moves as much at every depth.

    Example:
        >>> transferring(Optimizer.SGD), transferring(Optimizer.ADAM)
        (DepthRule(alpha=0.5, c=0.0), DepthRule(alpha=0.5, c=0.5))
    """
    return DepthRule(BRANCH, 0.0 if optimizer is Optimizer.SGD else BRANCH)


def depth_exponents(
    rule: DepthRule, optimizer: Optimizer, *, norms: bool = False, last_norm: bool = False
) -> Sizes:
    """Exponents at the layers of all blocks: their sizes, and what one step on all of them moves.

    Args:
        rule: Of the branches and of the learning rates.
        optimizer: Its kind.
        norms: Whether a norm comes before every branch.
        last_norm: Whether a norm comes before the output.

    Example:
        >>> depth_exponents(transferring(Optimizer.ADAM), Optimizer.ADAM).logits
        0.0
        >>> depth_exponents(DepthRule(0.0, 0.0), Optimizer.ADAM, norms=True).logits
        1.0
        >>> depth_exponents(DepthRule(0.0, 0.0), Optimizer.SGD).activation  # exponential
        inf
    """
    alpha, c = rule
    if not norms and alpha < BRANCH:
        return Sizes(math.inf, math.inf, math.inf, math.inf)
    s = max(0.0, BRANCH - alpha)
    g = -s if last_norm else 0.0
    update = -c if optimizer is Optimizer.ADAM else g - alpha - c
    return Sizes(0.0 if norms else s, g - alpha, update, 1 + update - alpha + g)
