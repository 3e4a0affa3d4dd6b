r"""Convolutions as dense layers.

The convolution of :math:`x \in \mathbb{R}^D` with a kernel :math:`h \in \mathbb{R}^K` has the
entries :math:`(x * h)_k = \sum_{i=1}^K x_{K+k-i} h_i` for :math:`k = 1, \dots, D - K + 1`.

:source: Notes, Section 10.5, Problem 1.
:a: ``dense_matrix(h, D)`` Return the matrix :math:`W_h` of shape :math:`(D-K+1, D)` with :math:`W_h
    x = x * h` for all :math:`x`.
:a-hints: Every row has the same entries, one place further to the right. | In which order does the
    kernel stand in a row? | Row :math:`k` has :math:`h_i` in column :math:`K + k - i`.
:b: ``free_parameters(D, K)`` Return two numbers: how many free parameters a dense layer of this
    shape has, and how many the convolution has. (Neither has a bias.)
:b-hints: Count the entries of the matrix. | All rows share the kernel. | The zeros are fixed.
"""

from collections.abc import Iterator

import numpy as np

from corollary.exercises.judging import Array, Case, Rng, equals

SIZES = ((7, 3, ""), (9, 4, ""), (5, 1, "a kernel of one entry"), (4, 4, "a single output"))


def convolved(x: Array, h: Array) -> list[float]:
    """The definition, with indices from 1."""
    K = len(h)
    outputs = range(1, len(x) - K + 2)
    return [sum(x[K + k - i - 1] * h[i - 1] for i in range(1, K + 1)) for k in outputs]


def part_a(rng: Rng) -> Iterator[Case]:
    """Column by column: the convolution of basis vectors."""
    for D, K, edge in SIZES:
        h = rng.normal(size=K)
        W = np.array([convolved(e, h) for e in np.eye(D)]).T
        turned = np.array([convolved(e, h[::-1]) for e in np.eye(D)]).T
        said = {"the kernel is not flipped: this is the correlation": turned}
        yield Case({"h": h, "D": D}, equals(W, said), edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """Counted on random matrices: the rank of what the parameters span."""
    for D, K, edge in SIZES:
        kernels = [np.array([convolved(e, h) for e in np.eye(D)]).ravel() for h in np.eye(K)]
        shared = int(np.linalg.matrix_rank(np.array(kernels)))
        rows = D - K + 1
        said = {
            "the nonzero entries share their values": [rows * D, rows * K],
            "the output has D − K + 1 entries": [D * D, shared],
            "your answer counts only the outputs": [rows, shared],
        }
        yield Case({"D": D, "K": K}, equals([rows * D, shared], said), edge)
