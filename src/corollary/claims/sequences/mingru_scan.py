r"""A minGRU is computed in parallel by a prefix scan.

If the gates of :math:`z_t=s_t\odot z_{t-1}+(1-s_t)\odot Vx_t` depend on the input only,
:math:`s_t=\sigma(Gx_t)`, the recurrence is linear in z, and a scan over
:math:`(s_t,(1-s_t)\odot Vx_t)` gives all its states at once. A gate that also sees the state,
:math:`\sigma(Gx_t+Kz_{t-1})` as in the GRU, cannot be computed ahead, and the scan is wrong.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Feng, Tung, Ahmed, Bengio and
    Hajimirsadeghi (2024), "Were RNNs all we needed?".
:kind: identity
:uses: prefix_scan
:covers: mingru
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.models.recurrent.gating import blend
from corollary.models.recurrent.mingru import MinGRU


class Given(NamedTuple):
    """A cell, a sequence, and how gates and candidates see the state."""

    cell: MinGRU
    x: Float[Tensor, "1 T n"]
    K: Float[Tensor, "m m"]
    L: Float[Tensor, "m m"]


class MingruScan(Claim[Given]):
    T: int = option(60, low=2, high=2000)  # steps
    m: int = option(3, low=1, high=50)  # units
    method: Literal["hillis_steele", "blelloch", "sequential", "log"] = "blelloch"  # kind of scan

    relation = equals(ulps=2**18, scale=1.0)  # logarithms of products of T gates lose most
    supposes = (
        Suppose(
            "gates do not depend on the state",
            lambda g: not bool(g.K.any()),
            "Gates that depend on the state cannot be computed in advance.",
            K=lambda g: 2 * torch.eye(len(g.K), dtype=g.K.dtype),
        ),
        Suppose(
            "candidates do not depend on the state",
            lambda g: not bool(g.L.any()),
            "Candidates that depend on the state cannot be computed in advance.",
            L=lambda g: torch.eye(len(g.L), dtype=g.L.dtype) / 2,
        ),
    )
    symbols = "scan", "loop"
    shows = Along("A minGRU", x="t, unit after unit", y="z_t", first=1)

    def given(self, rng: Generator) -> Given:
        zero = torch.zeros(self.m, self.m, dtype=torch.float64)
        return Given(MinGRU(2, self.m, rng=rng), normal(rng, 1, self.T, 2), zero, zero)

    @torch.no_grad()
    def predict(self, given: Given) -> Tensor:
        return given.cell.states(given.x, method=self.method)[0].T.flatten()

    @torch.no_grad()
    def measure(self, given: Given) -> Tensor:
        cell, z, out = given.cell, torch.zeros(given.cell.m, dtype=torch.float64), []
        for x in given.x[0]:
            s = torch.sigmoid(cell.G @ x + cell.b_G + given.K @ z)
            z = blend(s, z, cell.V @ x + cell.b_V + given.L @ z)
            out.append(z)
        return torch.stack(out, dim=1).flatten()
