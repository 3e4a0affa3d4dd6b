r"""The ramp loss: a bounded, 1-Lipschitz loss of the margin.

.. math:: \ell_\gamma(m)=\min\Bigl(1,\max\Bigl(0,1-\frac m\gamma\Bigr)\Bigr),\qquad m=yf(x).

It lies between the zero-one loss of the margin 0 and that of the margin :math:`\gamma`,

.. math:: 1[m\le0]\le\ell_\gamma(m)\le1[m\le\gamma],

and is :math:`1/\gamma`-Lipschitz, so that contraction turns the complexity of f into one of the
loss. The hinge is not bounded and would not do.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.5, Problem 1c; Bartlett and
    Mendelson (2002), "Rademacher and Gaussian complexities: risk bounds and structural results".
:covers: ramp-loss-generalization
:erratum: [notation] Problem 1c calls min(1, max(0, x)) the hinged loss; it is the clipped ramp. The
    hinge max(0, x) is unbounded (5 at x = 5), so a bound for values in [0, 1] would not apply. It
    is defined with one argument and used with two: the argument is 1 - y f(x). [loose] The slack
    3 sqrt(2 log(1/delta)/n) follows from the sharper 3 sqrt(log(2/delta)/(2n)) for delta at most
    2^(-1/3) = 0.794: 0.734 against 0.407 at n = 100, delta = 0.05.
"""

import math

from torch import Tensor

from corollary.errors import InputError
from corollary.theory.generalization.rademacher import rademacher_deviation


def clip(x: Tensor) -> Tensor:
    r"""The clipped ramp :math:`\min(1,\max(0,x))`, 1-Lipschitz with values in [0, 1].

    Example:
        >>> import torch
        >>> clip(torch.tensor([-1.0, 0.25, 5.0])).tolist()
        [0.0, 0.25, 1.0]
    """
    return x.clamp(0, 1)


def ramp(m: Tensor, *, gamma: float | int = 1.0) -> Tensor:
    """The ramp loss of margins: 1 up to 0, 0 from gamma on, a straight line between.

    Example:
        >>> import torch
        >>> ramp(torch.tensor([-1.0, 0.0, 0.5, 2.0])).tolist()
        [1.0, 1.0, 0.5, 0.0]
    """
    if not gamma > 0:
        raise InputError(f"the margin gamma must be positive, got {gamma:g}")
    return clip(1 - m / gamma)


def ramp_bound(
    loss: float, R: float, n: int, delta: float, *, gamma: float | int = 1.0, empirical: bool = True
) -> float:
    r"""An upper bound on the expected ramp loss, hence on the error rate, of all f of a class.

    .. math:: \frac1n\sum_i\ell_\gamma(y_if(x_i))+\frac{2\hat{\mathcal R}_S(\mathcal F)}\gamma
       +3\sqrt{\frac{\log(2/\delta)}{2n}}

    Args:
        loss: Mean ramp loss on the sample.
        R: Rademacher complexity of the class (of f, not of the loss).
        n: Samples.
        delta: Probability of failure.
        gamma: Margin, fixed before the data.
        empirical: Whether R was computed on the sample; if not, the last term is smaller.

    Example:
        >>> round(ramp_bound(0.1, 0.05, 100, 0.05), 4)
        0.6074
    """
    if not gamma > 0 or not 0 <= loss <= 1:
        raise InputError(
            f"expected gamma > 0 and a mean loss in [0, 1], got gamma={gamma:g}, loss={loss:g}"
        )
    return loss + rademacher_deviation(R / gamma, n, delta, empirical=empirical)


def printed_slack(n: int, delta: float) -> float:
    r"""The slack :math:`3\sqrt{2\log(1/\delta)/n}` of the exercise, for comparison.

    Example:
        >>> round(printed_slack(100, 0.05), 3)
        0.734
    """
    return 3 * math.sqrt(2 * math.log(1 / delta) / n)
