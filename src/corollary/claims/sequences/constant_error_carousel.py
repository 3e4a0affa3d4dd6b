r"""The constant error carousel of the LSTM.

The cell state of an LSTM obeys :math:`c_t=f_t\odot c_{t-1}+g_t\odot v_t`. If the gates and the
candidate do not read :math:`h_{t-1}`, then

.. math:: \frac{\partial c_T}{\partial c_0}=\operatorname{diag}\Bigl(\prod_{t=1}^Tf_t\Bigr) :

no matrix is multiplied, and open gates (:math:`f=1`) carry a gradient unchanged over any time. If
they do read it, that is the part of the gradient which stays inside the cell, and another part
flows through h.

:source: Perez Jensen (2025), Deep Learning, Section 5.1; Hochreiter and Schmidhuber (1997), "Long
    short-term memory".
:kind: identity
:cost: instant
:covers: lstm, gating-mechanism
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.recurrent.gating import gate
from corollary.models.recurrent.lstm import LSTMCell


class Given(NamedTuple):
    """A cell and a sequence."""

    cell: LSTMCell
    x: Float[Tensor, "T n"]


@dataclass(frozen=True)
class ConstantErrorCarousel(Claim[Given]):
    """The diagonal of a Jacobian against products of gates."""

    T: int = option(50, low=2, high=200)  # steps
    m: int = option(5, low=1, high=50)  # units
    remember: float = option(3.0, low=-2.0, high=50.0)  # offset of the forget gate
    relation = equals(ulps=2**12)  # relative: a product of T gates

    def given(self, rng: Generator) -> Given:
        """Random weights of the input, none of h."""
        cell = LSTMCell(3, self.m, remember=self.remember, rng=rng)
        with torch.no_grad():
            for W in (cell.F, cell.G, cell.V, cell.H):
                W[:, : self.m] = 0.0
        return Given(cell, torch.randn(self.T, 3, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What the gates read."""
        blind = all(not W[:, : given.cell.m].any() for W in _read(given.cell))
        yield Hypothesis("gates and candidate do not read h", blind)

    def predict(self, given: Given) -> list[float]:
        """Products of the forget gates, with h taken as it comes."""
        return _forget_gates(given).prod(dim=0).tolist()

    def measure(self, given: Given) -> list[float]:
        """Autograd: the gradient of the sum of c_T, which adds up the rows of the Jacobian."""
        c0 = torch.zeros(1, given.cell.m, dtype=torch.float64, requires_grad=True)
        state = torch.zeros_like(c0), c0
        for x in given.x:
            state = given.cell(state, x[None])
        return torch.autograd.grad(state[1].sum(), c0)[0][0].tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Gates that read h."""
        cell = LSTMCell(3, self.m, remember=self.remember, rng=rng)
        return Given(cell, torch.randn(self.T, 3, generator=rng, dtype=torch.float64))

    def figure(self, given: Given) -> Figure:
        """The gradient against time, unit by unit."""
        products = _forget_gates(given).cumprod(dim=0).T
        t = list(range(1, len(given.x) + 1))
        curves = [
            Curve(row, x=t, label=f"product of forget gates, unit {j + 1}", role="predicted")
            for j, row in enumerate(products[:3])
        ]
        ends = self.measure(given)[:3]
        points = Points([t[-1]] * len(ends), ends, label="∂c_T/∂c_0 by autograd")
        return Figure("What is left of a memory", x="T", y="∂c_T/∂c_0", log_y=True,
                      marks=(*curves, points))  # fmt: skip


def _read(cell: LSTMCell) -> tuple[nn.Parameter, ...]:
    return cell.F, cell.G, cell.V


@torch.no_grad()
def _forget_gates(given: Given) -> Tensor:
    """f_1, ..., f_T along the run from zero."""
    cell, gates = given.cell, []
    state = cell.start(given.x[:1])
    for x in given.x:
        gates.append(gate(torch.cat([state[0], x[None]], dim=1), cell.F, cell.b_F)[0])
        state = cell(state, x[None])
    return torch.stack(gates)
