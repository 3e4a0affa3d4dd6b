r"""A shift of the signal is a shift of the sum's index.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, proof of Lemma 4.5.
"""

import torch

from corollary.claims.architectures.shift_equivariance import Given, ShiftEquivariance
from corollary.core import Proof, eq, let


def proof(claim: ShiftEquivariance, given: Given) -> Proof:
    f, h, filtered = given
    n, delta = len(f), claim.delta
    u, t = torch.arange(n)[:, None], torch.arange(len(h))
    yield let(r"(f_\delta*h)[u]", filtered(f.roll(-delta), h))
    shifted = (h[t] * f.roll(-delta)[(u - t) % n]).sum(1)
    yield eq(r"\sum_th[t]\,f_\delta[u-t]", shifted, "the definition, on a ring")
    yield eq(r"\sum_th[t]\,f[u-t+\delta]", (h[t] * f[(u - t + delta) % n]).sum(1), "the shift")
    yield eq(r"(f*h)[u+\delta]", filtered(f, h).roll(-delta), "the definition at u + δ")


def as_printed(claim: ShiftEquivariance, given: Given) -> Proof:
    """The notes insert f(t − δ) for the shifted signal, whose shift is the other way round."""
    f, h, filtered = given
    n, delta = len(f), claim.delta
    u, t = torch.arange(n)[:, None], torch.arange(len(h))
    yield let(r"(f_\delta*h)[u]", filtered(f.roll(-delta), h))
    wrong = (h[t] * f[(u - t - delta) % n]).sum(1)
    yield eq(r"\sum_th[t]\,f[u-t-\delta]", wrong, "as printed", wrong=True)
    yield let(r"\sum_th[t]\,f[u-t+\delta]", (h[t] * f[(u - t + delta) % n]).sum(1))
    yield eq(r"(f*h)[u+\delta]", filtered(f, h).roll(-delta), "the definition at u + δ")
