r"""A signal is a sum of shifted impulses, and the map may be taken through both.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, Theorem 4.6.
:supplied: The notes leave the proof of Theorem 4.6 open.
"""

import torch

from corollary.claims.architectures.impulse_response import Given
from corollary.core import Proof, eq, let
from corollary.theory.approximation.convolution import convolve


def proof(given: Given) -> Proof:
    T, f = given
    e = torch.eye(len(f), dtype=f.dtype)
    h = T @ e[0]
    shifted = torch.stack([e[0].roll(t) for t in range(len(f))])
    yield let("Tf", T @ f)
    yield eq(r"T\sum_tf[t]\,S^te_0", T @ (f @ shifted), "f is a sum of shifted impulses")
    yield eq(r"\sum_tf[t]\,TS^te_0", f @ (shifted @ T.T), "T is linear")
    moved = torch.stack([h.roll(t) for t in range(len(f))])
    yield eq(r"\sum_tf[t]\,S^tTe_0", f @ moved, "T commutes with the shift S")
    yield eq("f*h", convolve(f, h, method="direct", mode="circular"), "(Sᵗh)[u] = h[u − t]")
