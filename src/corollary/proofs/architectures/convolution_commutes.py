r"""Substitute the place where the other signal is read.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, proof of Lemma 4.4.
"""

import torch

from corollary.claims.architectures.convolution_commutes import Given
from corollary.core import Proof, eq, let


def proof(given: Given) -> Proof:
    f, h, product = given
    n, m = len(f), len(h)
    u = torch.arange(n + m - 1)[:, None]
    t, v = torch.arange(m), torch.arange(n)
    yield let("(f*h)[u]", product(f, h))
    inside = (u - t >= 0) & (u - t < n)
    first = (torch.where(inside, f[(u - t).clamp(0, n - 1)], 0.0) * h[t]).sum(1)
    yield eq(r"\sum_th[t]\,f[u-t]", first, "the definition")
    inside = (u - v >= 0) & (u - v < m)
    second = (torch.where(inside, h[(u - v).clamp(0, m - 1)], 0.0) * f[v]).sum(1)
    yield eq(r"\sum_vh[u-v]\,f[v]", second, "v = u − t runs over the same places")
    yield eq("(h*f)[u]", product(h, f), "the definition")
