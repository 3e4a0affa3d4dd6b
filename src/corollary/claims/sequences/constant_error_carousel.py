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
:uses: bptt
:covers: lstm, gating-mechanism
"""

from collections.abc import Callable
from copy import deepcopy
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.models.recurrent.gating import gate
from corollary.models.recurrent.lstm import LSTMCell


class Given(NamedTuple):
    """A cell and a sequence."""

    cell: LSTMCell
    x: Float[Tensor, "T n"]


def reading(name: str, words: str) -> Callable[[Given, Generator], Given]:
    """A breaker: one weight matrix reads h."""

    def breaker(given: Given, rng: Generator) -> Given:
        cell, m = deepcopy(given.cell), given.cell.m
        getattr(cell, name).data[:, :m] = normal(rng, m, m)
        return given._replace(cell=cell)

    breaker.__doc__ = words
    return breaker


@torch.no_grad()
def forget_gates(given: Given) -> Float[Tensor, "T m"]:
    """The gates along the run from zero, with h taken as it comes."""
    cell, gates = given.cell, []
    state = cell.start(given.x[:1])
    for x in given.x:
        gates.append(gate(torch.cat([state[0], x[None]], dim=1), cell.F, cell.b_F)[0])
        state = cell(state, x[None])
    return torch.stack(gates)


class ConstantErrorCarousel(Claim[Given]):
    T: int = option(50, low=2, high=200)  # steps
    m: int = option(5, low=1, high=50)  # units
    remember: float = option(3.0, low=-2.0, high=50.0)  # offset of the forget gate

    relation = equals(ulps=2**12)  # relative: a product of T gates
    supposes = (
        Suppose(
            "the forget gate does not read h",
            lambda g: not bool(g.cell.F[:, : g.cell.m].any()),
            reading("F", "If the forget gate reads h, the gradient has a second path."),
        ),
        Suppose(
            "the input gate does not read h",
            lambda g: not bool(g.cell.G[:, : g.cell.m].any()),
            reading("G", "If the input gate reads h, the gradient has a second path."),
        ),
        Suppose(
            "the candidate does not read h",
            lambda g: not bool(g.cell.V[:, : g.cell.m].any()),
            reading("V", "If the candidate reads h, the gradient has a second path."),
        ),
    )
    symbols = "product of forget gates", "∂c_T/∂c_0 by autograd"
    rows = "unit 1", "unit 2", "unit 3", "unit 4", "unit 5"

    def given(self, rng: Generator) -> Given:
        """Random weights of the input, none of h."""
        cell = LSTMCell(3, self.m, remember=self.remember, rng=rng)
        for W in (cell.F, cell.G, cell.V, cell.H):
            W.data[:, : self.m] = 0.0
        return Given(cell, normal(rng, self.T, 3))

    def predict(self, given: Given) -> Tensor:
        return forget_gates(given).prod(dim=0)

    def measure(self, given: Given) -> Tensor:
        """The gradient of the sum of c_T, which adds up the rows of the Jacobian."""
        c0 = torch.zeros(1, given.cell.m, dtype=torch.float64, requires_grad=True)
        state = torch.zeros_like(c0), c0
        for x in given.x:
            state = given.cell(state, x[None])
        return torch.autograd.grad(state[1].sum(), c0)[0][0]

    @picture("Gradient of a memory cell over T steps", x="T", y="∂c_T/∂c_0", log="y")
    def marks(self, trial: Trial[Given]) -> Marks:
        products, ends = forget_gates(trial.given).cumprod(dim=0).T[:3], trial.measured[:3]
        t = list(range(1, len(trial.given.x) + 1))
        for row, unit in zip(products, self.rows, strict=False):
            yield Curve(row, x=t, label=f"product of forget gates, {unit}", role="predicted")
        yield Points([t[-1]] * len(ends), ends, label=self.symbols[1])
