r"""Where retrieval ends: the mean-field theory of the loaded Hopfield network.

At zero temperature the retrieval state of load :math:`\alpha = s/n` has the overlap
:math:`m = \operatorname{erf}(y)` with its pattern, where :math:`y` solves

.. math:: \sqrt{2\alpha} = \frac{\operatorname{erf} y}{y} - \frac{2}{\sqrt\pi} e^{-y^2} =: g(y).

:math:`g` rises from 0 to a single maximum and falls again, so solutions exist only up to

.. math:: \alpha_c = \max_y \tfrac12\, g(y)^2 \approx 0.138,

and there the overlap drops from 0.967 to 0 at once: errors breed errors.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Amit, Gutfreund and Sompolinsky (1985),
    "Storing infinite numbers of patterns in a spin-glass model of neural networks"; Hertz, Krogh
    and Palmer (1991), "Introduction to the Theory of Neural Computation", Section 2.5.
:covers: hopfield-capacity-phase-transition
"""

import math
from functools import lru_cache

from scipy.optimize import brentq, minimize_scalar
from scipy.special import erf

from corollary.errors import InputError


def _g(y: float) -> float:
    return float(erf(y)) / y - 2 / math.sqrt(math.pi) * math.exp(-y * y)


@lru_cache(maxsize=1)
def _maximiser() -> float:
    return float(minimize_scalar(lambda y: -_g(y), bounds=(0.5, 4), options={"xatol": 1e-12}).x)


def critical_load() -> float:
    r"""The load :math:`\alpha_c` beyond which no retrieval state exists.

    Example:
        >>> round(critical_load(), 3)
        0.138
    """
    return 0.5 * _g(_maximiser()) ** 2


def retrieval_overlap(load: float | int) -> float:
    r"""Overlap of the retrieval state at this load; 0 beyond :math:`\alpha_c`.

    Example:
        >>> round(retrieval_overlap(0.1), 3), round(retrieval_overlap(0.1379), 2)
        (0.998, 0.97)
        >>> retrieval_overlap(0.2)
        0.0
    """
    if not load > 0:
        raise InputError(f"load = s/n must be positive, got {load:g}")
    if load > critical_load():
        return 0.0
    height = math.sqrt(2 * load)
    far = 2 / height + 2  # g(y) < 1/y < height there
    return float(erf(brentq(lambda y: _g(y) - height, _maximiser(), far)))
