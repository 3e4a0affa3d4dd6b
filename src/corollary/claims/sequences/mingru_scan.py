r"""minGRU in parallel.

If the gates of :math:`z_t=s_t\odot z_{t-1}+(1-s_t)\odot Vx_t` depend on the input only,
:math:`s_t=\sigma(Gx_t)`, the recurrence is linear in z, and a scan over
:math:`(s_t,(1-s_t)\odot Vx_t)` gives all its states at once. A gate that also sees the state,
:math:`\sigma(Gx_t+Kz_{t-1})` as in the GRU, cannot be computed ahead, and the scan is wrong.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Feng, Tung, Ahmed, Bengio and
    Hajimirsadeghi (2024), "Were RNNs all we needed?".
:kind: identity
:cost: instant
:covers: mingru
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.recurrent.gating import blend
from corollary.models.recurrent.mingru import MinGRU


class Given(NamedTuple):
    """A cell, a sequence, and how gates see the state."""

    cell: MinGRU
    x: Float[Tensor, "1 T n"]
    K: Float[Tensor, "m m"]


@dataclass(frozen=True)
class MingruScan(Claim[Given]):
    """One step after the other against a scan."""

    T: int = option(60, low=2, high=2000)  # steps
    m: int = option(3, low=1, high=50)  # units
    method: Literal["hillis_steele", "blelloch", "sequential", "log"] = "blelloch"  # kind of scan
    relation = equals(ulps=2**18, scale=1.0)  # logarithms of products of T gates lose most

    def given(self, rng: Generator) -> Given:
        """Gates that see the input only."""
        cell = MinGRU(2, self.m, rng=rng)
        x = torch.randn(1, self.T, 2, generator=rng, dtype=torch.float64)
        return Given(cell, x, torch.zeros(self.m, self.m, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What gates see."""
        yield Hypothesis("gates do not see the state", not bool(given.K.any()))

    def predict(self, given: Given) -> list[float]:
        """The scan."""
        with torch.no_grad():
            return given.cell.states(given.x, method=self.method).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The loop, with whatever gates see."""
        return _loop(given).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Gates that see the state."""
        given = self.given(rng)
        return given._replace(K=2 * torch.eye(self.m, dtype=torch.float64))

    def figure(self, given: Given) -> Figure:
        """One unit."""
        t = list(range(1, given.x.shape[1] + 1))
        scan = torch.tensor(self.predict(given)).reshape(len(t), -1)[:, 0]
        seeing = _loop(given._replace(K=2 * torch.eye(given.cell.m, dtype=torch.float64)))
        marks = (
            Curve(scan, x=t, label="scan", role="predicted"),
            Points(t, _loop(given)[:, 0], label="loop"),
            Curve(seeing[:, 0], x=t, label="loop whose gates see the state", role="other",
                  dashed=True),
        )  # fmt: skip
        return Figure("A minGRU unit", x="t", y="z_t", marks=marks)


@torch.no_grad()
def _loop(given: Given) -> Tensor:
    cell, z, out = given.cell, torch.zeros(given.cell.m, dtype=torch.float64), []
    for x in given.x[0]:
        s = torch.sigmoid(cell.G @ x + cell.b_G + given.K @ z)
        z = blend(s, z, cell.V @ x + cell.b_V)
        out.append(z)
    return torch.stack(out)
