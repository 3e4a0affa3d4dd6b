r"""The Elman cell.

.. math:: z_t=\varphi(Uz_{t-1}+Vx_t+b),\qquad U\in\mathbb{R}^{m\times m},\
   V\in\mathbb{R}^{m\times n}.

The outputs :math:`y_t=\psi(Wz_t)` are a readout of
:class:`~corollary.models.recurrent.network.RecurrentNetwork`; the notes have b = 0.

:source: Perez Jensen (2025), Deep Learning, Chapter 5; Elman (1990), "Finding structure in time".
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError, InputTypeError
from corollary.models.recurrent.cell import Cell, offsets, weights
from corollary.theory.networks.activations import Activation, activation


class ElmanCell(Cell):
    """``z -> phi(U z + V x + b)``.

    Example:
        >>> cell = ElmanCell(1, 1, "linear", rng=torch.Generator())
        >>> with torch.no_grad():
        ...     _ = cell.U.fill_(0.5), cell.V.fill_(1.0)
        >>> cell(torch.ones(1, 1).double(), torch.ones(1, 1).double()).item()
        1.5

    :covers: elman-rnn
    """

    def __init__(
        self,
        n: int,
        m: int,
        phi: Activation | str = "tanh",
        *,
        bias: bool = True,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__(n, m)
        self.phi = activation(phi) if isinstance(phi, str) else phi
        self.U = weights(m, m, rng=rng, dtype=dtype)
        self.V = weights(m, n, rng=rng, dtype=dtype)
        self.b = offsets(m, bias, self.U)

    @classmethod
    def of(cls, rnn: nn.RNN, layer: int = 0, *, reverse: bool = False) -> "ElmanCell":
        """One layer of a torch network, with its weights copied.

        Unlike the fused layer it has derivatives of every kind and order.
        """
        if not isinstance(rnn, nn.RNN):
            raise InputTypeError(f"expected an nn.RNN, got {type(rnn).__name__}")
        W_z, W_x, b = torch_weights(rnn, layer, reverse)
        cell = cls(
            W_x.shape[1],
            len(W_z),
            rnn.nonlinearity,
            bias=b is not None,
            rng=torch.Generator(),
            dtype=W_z.dtype,
        )
        cell.U, cell.V = nn.Parameter(W_z), nn.Parameter(W_x)
        if b is not None:
            cell.b = nn.Parameter(b[0] + b[1])
        return cell

    def forward(self, state: Float[Tensor, "B m"], x: Float[Tensor, "B n"]) -> Float[Tensor, "B m"]:
        """The next state."""
        return self.phi(state @ self.U.T + nn.functional.linear(x, self.V, self.b))


def torch_weights(
    rnn: nn.RNNBase, layer: int, reverse: bool
) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor] | None]:
    """Copies of one layer's weights of state and input, and of its two biases (state, input)."""
    name = f"l{layer}" + ("_reverse" if reverse else "")
    if not hasattr(rnn, f"weight_hh_{name}"):
        raise InputError(
            f"layer {layer} in {'reverse' if reverse else 'forward'} direction is needed, but the "
            f"network has {rnn.num_layers} layers and bidirectional={rnn.bidirectional}"
        )
    if getattr(rnn, "proj_size", 0):
        raise InputError(f"a network without projection is needed, got proj_size={rnn.proj_size}")

    def copied(part: str) -> Tensor:
        weight: Tensor = getattr(rnn, f"{part}_{name}")
        return weight.detach().clone()

    biases = (copied("bias_hh"), copied("bias_ih")) if rnn.bias else None
    return copied("weight_hh"), copied("weight_ih"), biases
