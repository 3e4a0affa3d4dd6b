r"""Two hidden units that compute exclusive or, which no single unit can.

With :math:`s = x_1 + x_2` on bits, both networks output +1 where the bits are equal, -1 otherwise:

.. math:: f(x) = 1 - 2\,H(s - \tfrac12) + 2\,H(s - \tfrac32), \qquad
          f(x) = 1 - 2\,(s)_+ + 4\,(s - 1)_+ .

:source: Perez Jensen (2025), Deep Learning, Section 1.2; Minsky and Papert (1969), Perceptrons.
:covers: xor-not-separable
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.models.approximators.steps import step


class XorNetwork(nn.Module):
    """``2 -> 2 -> 1`` with the weights written above; margin 1 on the four points.

    Example:
        >>> from corollary.data.xor import xor
        >>> x, y = xor()
        >>> XorNetwork("relu")(x).tolist() == XorNetwork("threshold")(x).tolist() == y.tolist()
        True
    """

    def __init__(
        self,
        activation: Literal["threshold", "relu"] = "relu",
        *,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if activation not in ("threshold", "relu"):
            raise InputError(f"activation must be threshold or relu, got '{activation}'")
        self.activation = activation
        bends = (0.5, 1.5) if activation == "threshold" else (0.0, 1.0)
        steps = (-2.0, 2.0) if activation == "threshold" else (-2.0, 4.0)
        self.w = nn.Parameter(torch.ones(2, 2, dtype=dtype))
        self.b = nn.Parameter(-torch.tensor(bends, dtype=dtype))
        self.a = nn.Parameter(torch.tensor(steps, dtype=dtype))
        self.c = nn.Parameter(torch.ones((), dtype=dtype))

    def hidden(self, x: Float[Tensor, "*batch 2"]) -> Float[Tensor, "*batch 2"]:
        """The two hidden units; in these coordinates the classes are separable."""
        s = x @ self.w.T + self.b
        return torch.relu(s) if self.activation == "relu" else step(s)

    def forward(self, x: Float[Tensor, "*batch 2"]) -> Float[Tensor, "*batch"]:
        """+1 or -1 on bits."""
        return self.hidden(x) @ self.a + self.c
