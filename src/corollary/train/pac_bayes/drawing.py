r"""A module called with weights drawn at random, whatever its layers are.

While :class:`Drawn` is active, torch's functions see draws where the module passes parameters. Two
ways to draw:

* *each example its own weights*, for a layer ``F.linear(x, W, b)`` that is used once, on one row an
  example: the output of each row is normal with mean :math:`Wx+b` and variance
  :math:`s_W x^2+s_b`, independent between rows, so it is drawn there (local reparametrisation,
  exact);
* *one draw for the whole call*, for everything else (convolutions, normalisation, attention).

:source: Kingma, Salimans and Welling (2015), "Variational dropout and the local reparameterization
    trick".
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_iter, tree_map

from corollary.errors import NotApplicableError

# What a module may ask of a parameter without using its values.
_FACTS = set(
    "shape dtype device requires_grad ndim is_cuda layout is_leaf grad_fn is_meta is_sparse "
    "is_quantized is_nested is_cpu is_mps is_mkldnn names dim size numel is_floating_point "
    "is_complex __len__ data_ptr stride is_contiguous element_size is_xpu is_hpu "
    "is_privateuseone is_vulkan".split()
)


class Watch(TorchFunctionMode):
    """Notes which parameters are used once, as weight or bias of a dense layer on ``n`` rows."""

    def __init__(self, parameters: Iterable[Tensor], n: int) -> None:
        super().__init__()
        self.uses: dict[int, int] = {id(p): 0 for p in parameters}
        self.layers: list[tuple[int, int | None]] = []  # weight and bias of candidates
        self.n = n

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count, then go on as if nothing were."""
        kwargs = kwargs or {}
        if not _asks_for_facts(func):
            for tensor in tree_iter((args, kwargs)):
                if id(tensor) in self.uses:
                    self.uses[id(tensor)] += 1
        if func is F.linear:
            x, weight, bias = _linear(*args, **kwargs)
            if x.dim() == 2 and len(x) == self.n and id(weight) in self.uses:
                self.layers.append((id(weight), None if bias is None else id(bias)))
        return func(*args, **kwargs)

    def dense(self) -> set[int]:
        """Identities of the parameters that each example may draw for itself."""
        found: set[int] = set()
        for weight, bias in self.layers:
            pair = {weight} if bias is None else {weight, bias}
            if all(self.uses.get(i) == 1 for i in pair):
                found |= pair
        return found


class Drawn(TorchFunctionMode):
    """Parameters replaced by draws.

    Args:
        whole: Values by the identity of the parameter, the same in the whole call.
        variances: For parameters of dense layers, the variances from which each row draws.
    """

    def __init__(self, whole: dict[int, Tensor], variances: dict[int, Tensor]) -> None:
        super().__init__()
        self.whole, self.variances = whole, variances
        self.last: tuple[Tensor, Tensor, Tensor] | None = None  # output, mean, variance

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The function on draws."""
        kwargs = kwargs or {}
        if _asks_for_facts(func):
            return func(*args, **kwargs)
        if func is F.linear and self.variances:
            x, weight, bias = _linear(*args, **kwargs)
            if id(weight) in self.variances:
                return self._dense(x, weight, bias)
        if self.variances and any(id(t) in self.variances for t in tree_iter((args, kwargs))):
            raise NotApplicableError(
                "a linear layer is used in a different way than in the first call; pass "
                "per_example=False"
            )

        def drawn(value: Any) -> Any:
            return self.whole.get(id(value), value)

        args, kwargs = tree_map(drawn, (args, kwargs))
        return func(*args, **kwargs)

    def _dense(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if x.dim() != 2:
            raise NotApplicableError(
                f"a linear layer now gets an input of shape {tuple(x.shape)}; pass "
                "per_example=False"
            )
        s_bias = None if bias is None else self.variances[id(bias)]
        mean = F.linear(x, weight, bias)
        variance = F.linear(x.square(), self.variances[id(weight)], s_bias)
        smallest = torch.finfo(variance.dtype).tiny  # the root has no slope at 0
        variance = variance.clamp(min=smallest)
        output = mean + variance.sqrt() * torch.randn_like(mean)
        self.last = output, mean, variance
        return output


def _linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    return input, weight, bias


def _asks_for_facts(func: Any) -> bool:
    name = getattr(func, "__name__", "")
    if name == "__get__":
        name = getattr(func.__self__, "__name__", "")
    return name in _FACTS
