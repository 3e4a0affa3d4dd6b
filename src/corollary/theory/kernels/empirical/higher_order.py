r"""A network replaced by its Taylor polynomial in the parameters.

.. math:: f_k(x, \theta_0 + \delta) = \sum_{j=0}^k \frac{1}{j!}
          \frac{d^j}{dt^j} f(x, \theta_0 + t\delta)\Big|_{t=0},

of error :math:`O(\|\delta\|^{k+1})` for smooth activations. Order 1 is the linearisation; order 2
is the first whose tangent kernel moves, and so the least that can learn features. Between its
kinks a ReLU network of L layers is a polynomial of degree L in its parameters, so order L is the
network itself there.

The derivatives along :math:`\delta` come from one graph: with :math:`h(t) = \langle u, f(\theta_0 +
t\delta)\rangle` each :math:`h^{(j)}(0)` is a number, its derivative in t the next one, and its
derivative in u the vector that is wanted.

:source: Novak et al. (2020), "Neural tangents: fast and easy infinite neural networks in Python"
    (``taylor_expand``); Bai and Lee (2020), "Beyond linearization: on quadratic and higher-order
    approximation of wide neural networks".
"""

import copy
import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.kernels.empirical.products import outputs_at, trainable
from corollary.theory.kernels.empirical.samples import Inputs, Read
from corollary.theory.modules.differentiable import differentiable


class Expanded(nn.Module):
    """The Taylor polynomial of a module at its present parameters, itself a module to be trained.

    The module is copied and read in evaluation mode; the parameters to be trained, ``theta``, start
    at its own values. Time and memory of a call grow about twofold with each order.

    Args:
        model: Any module whose layers have as many derivatives as ``order``.
        order: The degree k of the polynomial.
        read: What of the module's answer is expanded, as in :func:`.empirical_ntk`.

    Example:
        >>> net = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))
        >>> for p, value in zip(net.parameters(), (2.0, 3.0)):
        ...     _ = nn.init.constant_(p, value)
        >>> found = []
        >>> for order in (0, 1, 2):
        ...     taylor = Expanded(net, order)
        ...     with torch.no_grad():
        ...         _ = [p.add_(1) for p in taylor.theta]
        ...     found.append(taylor(torch.ones(1, 1)).item())
        >>> found  # 2·3, then + 3 + 2, then the product of both changes
        [6.0, 11.0, 12.0]
    """

    def __init__(self, model: nn.Module, order: int, read: Read | None = None) -> None:
        super().__init__()
        if order < 0:
            raise InputError(f"order must be at least 0, got {order}")
        self.order, self.read = order, read
        self.names = list(trainable(model))
        self.base = copy.deepcopy(model).eval().requires_grad_(False)
        self.theta = nn.ParameterList(p.detach().clone() for p in trainable(model).values())

    def train(self, mode: bool = True) -> "Expanded":
        """The expansion is always read in evaluation mode."""
        super().train(mode)
        self.base.eval()
        return self

    def forward(self, *inputs: Tensor, **named: Tensor) -> Float[Tensor, "n c"]:
        """The polynomial at the present values of ``theta``."""
        x = named or (inputs[0] if len(inputs) == 1 else inputs)
        terms = self.terms(x)
        return sum(terms[1:], terms[0])

    def terms(self, x: Inputs) -> list[Float[Tensor, "n c"]]:
        """The summands of the polynomial, one for each order from 0 on.

        Example:
            >>> taylor = Expanded(nn.Linear(1, 1, bias=False), 2)
            >>> with torch.no_grad():
            ...     _ = taylor.theta[0].add_(3)
            >>> [round(t.item(), 4) for t in taylor.terms(torch.ones(1, 1))[1:]]
            [3.0, 0.0]
        """
        at = dict(self.base.named_parameters())
        start = {name: at[name].detach() for name in self.names}
        delta = {k: t - start[k] for t, k in zip(self.theta, self.names, strict=True)}
        graph = torch.is_grad_enabled() and any(d.requires_grad for d in delta.values())
        with differentiable(), torch.enable_grad():
            t = torch.zeros((), dtype=next(iter(start.values())).dtype, requires_grad=True)
            moved = {k: p + t.to(p) * delta[k] for k, p in start.items()}
            f = outputs_at(self.base, moved, x, self.read)
            return _terms(f, t, self.order, graph)


def _terms(f: Tensor, t: Tensor, order: int, graph: bool) -> list[Tensor]:
    """The derivatives of f in t at this t, divided by factorials."""
    u = torch.zeros_like(f, requires_grad=True)
    found, value = [f.detach()], (u * f).sum()
    for j in range(1, order + 1):
        if not value.requires_grad:
            found.append(torch.zeros_like(found[0]))
            continue
        (value,) = torch.autograd.grad(value, t, create_graph=True, materialize_grads=True)
        if not value.requires_grad:  # what is left does not depend on t or u
            found.append(torch.zeros_like(found[0]))
            continue
        (term,) = torch.autograd.grad(
            value, u, retain_graph=True, create_graph=graph, materialize_grads=True
        )
        found.append(term / math.factorial(j))
    return found
