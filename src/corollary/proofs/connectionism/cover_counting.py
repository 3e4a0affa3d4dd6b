r"""A new point splits exactly the labellings whose hyperplane can be turned through it.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, proof of Theorem 1.4; Cover (1965).
"""

from math import comb

import torch
from torch import Tensor

from corollary.claims.connectionism.cover_counting import Given
from corollary.core import Proof, eq, let
from corollary.theory.connectionism.cover import enumerate_dichotomies


def split(x: Tensor) -> tuple[Tensor, Tensor]:
    """How many labellings of the first points there are, and how many the last one splits."""
    old, new = enumerate_dichotomies(x[:-1]), enumerate_dichotomies(x)
    kept, times = torch.unique(new[:, :-1], dim=0, return_counts=True)
    return torch.tensor(len(old)), (times == 2).sum()


def on_the_plane(x: Tensor) -> int:
    """Labellings of the first points by hyperplanes that go through the last one."""
    normal = x[-1:] / x[-1].norm()
    basis: Tensor = torch.linalg.svd(normal).Vh[1:]
    return len(enumerate_dichotomies(x[:-1] @ basis.T))


def proof(given: Given) -> Proof:
    x = given.x
    s, n = len(x) - 1, x.shape[1]
    old, twice = split(x)
    yield "Take the last of the points away, and put it back."
    yield let("C(s+1,n)", len(enumerate_dichotomies(x)))
    yield eq(r"(C(s,n) - D) + 2D", old - twice + 2 * twice, "D labellings are split in two")
    by = "split are those of a w with ⟨w, x⟩ = 0: they live in one dimension less"
    yield eq("C(s,n) + C(s,n-1)", old + on_the_plane(x), by)
    counted = 2 * sum(comb(s - 1, i) + comb(s - 1, i - 1) for i in range(1, n)) + 2
    yield eq(r"2\sum_{i<n}\tbinom{s-1}i + 2\sum_{i<n-1}\tbinom{s-1}i", counted, "induction")
    yield eq(r"2\sum_{i<n}\tbinom si", 2 * sum(comb(s, i) for i in range(n)), "Pascal's identity")
