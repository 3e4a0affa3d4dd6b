r"""The published certificates of Dziugaite and Roy, and what their divergences give again.

:source: Lucchi (2025), Foundations of Deep Learning, Table 1; Dziugaite and Roy (2017), "Computing
    nonvacuous generalization bounds for deep (stochastic) neural networks with many more parameters
    than training data", Table 1 (with probability 0.965, n = 55,000 binary MNIST images).
"""

import math
from typing import NamedTuple

from corollary.theory.generalization.pac_bayes import kl_bound, mcallester_bound

N, EPS = 55_000, 0.035


class Column(NamedTuple):
    """One column of the table."""

    widths: tuple[int, ...]  # hidden units of each layer
    snn_train: float
    snn_test: float
    bound: float
    kl: float

    @property
    def parameters(self) -> int:
        """Weights and biases, from 784 inputs to one output.

        Example:
            >>> TABLE["T-600"].parameters
            471601
        """
        sizes = (784, *self.widths, 1)
        return sum((a + 1) * b for a, b in zip(sizes, sizes[1:], strict=False))


TABLE = {
    "T-600": Column((600,), 0.028, 0.034, 0.161, 5144),
    "T-1200": Column((1200,), 0.027, 0.035, 0.179, 5977),
    "T-300²": Column((300,) * 2, 0.027, 0.034, 0.170, 5791),
    "T-600²": Column((600,) * 2, 0.028, 0.033, 0.186, 6534),
    "T-1200²": Column((1200,) * 2, 0.029, 0.035, 0.223, 8558),
    "T-600³": Column((600,) * 3, 0.027, 0.032, 0.201, 7861),
    "R-600": Column((600,), 0.112, 0.503, 1.352, 201_131),
}
TRUE_LABELS = tuple(name for name in TABLE if name.startswith("T"))


def recomputed(column: Column) -> float:
    """The bound by kl inversion from the published train error and divergence.

    Example:
        >>> round(recomputed(TABLE["T-600"]), 3)
        0.161
    """
    return kl_bound(column.snn_train, column.kl, N, EPS)


def as_printed(column: Column) -> float:
    """What Theorem 70 of the notes, with its factor 2/N, would give.

    Example:
        >>> round(as_printed(TABLE["T-600"]), 2)
        0.46
    """
    return mcallester_bound(column.snn_train, column.kl, N, EPS, printed=True)


def without_train_error(column: Column) -> float:
    """The root alone; this is the entry of R-600.

    Example:
        >>> round(without_train_error(TABLE["R-600"]), 3)
        1.352
    """
    return math.sqrt((column.kl + math.log(2 * math.sqrt(N) / EPS)) / (2 * N))
