r"""The loss of a module as a function of its parameters.

.. math:: L(\theta) = \frac1n \sum_{i=1}^n \ell(f_\theta(x_i), y_i), \qquad \theta \in \mathbb{R}^p

A :class:`Landscape` joins a module, a loss and data, names the parameters that count as
:math:`\theta`, and gives values and gradients; the operators of this package give the rest.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError, InputTypeError, NotFiniteError
from corollary.theory.landscape.curvature.batches import Batch, stream
from corollary.theory.modules.differentiable import differentiable
from corollary.theory.modules.keeping import kept

Mode = Literal["eval", "train", "keep"]


class Landscape:
    r"""The loss of ``module`` on ``data``, ready for second derivatives.

    The module is used as it is, in evaluation mode unless told otherwise, and comes back bit for
    bit: parameters, buffers, gradients, mode, hooks, random state. Shared weights count once.
    With several batches :math:`L` is their average weighted by the number of examples (their sum
    for a loss with ``reduction="sum"``), so it does not depend on how the data are cut.

    Args:
        module: Any module; a compiled one is unwrapped, for compiled graphs have no second
            derivative.
        loss: ``loss(output, target)``, or ``loss(output)`` where the batches have no target; it
            returns one number, the mean over the examples of the batch.
        data: A tensor, a mapping, a pair (inputs, target), or a list or ``DataLoader`` of those.
        parameters: Names, prefixes (``"head"``) or patterns (``"*.weight"``) of the parameters
            that make up :math:`\theta`; by default all that require a gradient.
        mode: ``eval``, ``train`` (dropout then draws the same mask in each pass) or ``keep``.
        reduction: ``mean`` or ``sum``; read from the loss if it says so, else ``mean``.
        memory: Bytes that kept graphs may take; beyond it products recompute them batch by batch.
        seed: Of the random layers in training mode.

    Example:
        >>> model = nn.Linear(1, 1, bias=False)
        >>> _ = nn.init.constant_(model.weight, 2.0)
        >>> x = torch.tensor([[1.0], [3.0]])
        >>> landscape = Landscape(model, nn.MSELoss(), (x, torch.zeros(2, 1)))
        >>> landscape.loss(), landscape.gradient().tolist()  # w^2 (1 + 9)/2 and 2 w (1 + 9)/2
        (20.0, [20.0])
    """

    def __init__(
        self,
        module: nn.Module,
        loss: Callable[..., Tensor],
        data: Any,
        *,
        parameters: str | Iterable[str] | None = None,
        mode: Mode = "eval",
        reduction: Literal["mean", "sum"] | None = None,
        memory: int = 2 << 30,
        seed: int = 0,
    ) -> None:
        if not isinstance(module, nn.Module):
            raise InputTypeError(f"module must be an nn.Module, got {type(module).__name__}")
        if mode not in ("eval", "train", "keep"):
            raise InputError(f"mode must be eval, train or keep, got '{mode}'")
        reduction = reduction or getattr(loss, "reduction", "mean")
        if reduction not in ("mean", "sum"):
            raise InputError(
                f"expected a loss that returns one number per batch, got reduction='{reduction}'; "
                "use reduction='mean' or 'sum'"
            )
        self.module = getattr(module, "_orig_mod", module)
        self.criterion, self.reduction = loss, reduction
        self.batches = stream(data)
        self.named = _selected(self.module, parameters)
        self.mode, self.seed, self.memory = mode, seed, memory

    def __repr__(self) -> str:
        name = type(self.module).__name__
        return (
            f"Landscape({name}, {self.size} parameters in {len(self.named)} tensors, {self.mode})"
        )

    @property
    def parameters(self) -> list[Tensor]:
        r"""The tensors that make up :math:`\theta`, in the module's order."""
        return list(self.named.values())

    @property
    def size(self) -> int:
        r"""The number p of coordinates of :math:`\theta`."""
        return sum(p.numel() for p in self.named.values())

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of flat vectors: that of the parameters, but at least single precision."""
        dtype = torch.float32
        for p in self.named.values():
            dtype = torch.promote_types(dtype, p.dtype)
        return dtype

    @property
    def device(self) -> torch.device:
        """Where flat vectors live."""
        return self.parameters[0].device

    def split(self, v: Float[Tensor, " p"]) -> list[Tensor]:
        """A flat vector as tensors of the parameters' shapes (views where the dtype agrees)."""
        parts = v.split([p.numel() for p in self.named.values()])
        return [a.view(p.shape).to(p) for a, p in zip(parts, self.named.values(), strict=True)]

    def flat(self, parts: Sequence[Tensor | None]) -> Float[Tensor, " p"]:
        """Tensors of the parameters' shapes as one vector; an absent one counts as zero."""
        pairs = zip(parts, self.named.values(), strict=True)
        rows = [(torch.zeros_like(p) if a is None else a.detach()).reshape(-1) for a, p in pairs]
        return torch.cat([r.to(device=self.device, dtype=self.dtype) for r in rows])

    def point(self) -> Float[Tensor, " p"]:
        r"""The present :math:`\theta`."""
        return self.flat(self.parameters)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """The context in which the module may be called, and differentiated twice.

        Random layers draw from the seed, so a loss with dropout is the same function in each pass.
        """
        with kept(self.module, read_only=True), differentiable(), torch.enable_grad():
            for p in self.parameters:
                p.requires_grad_(True)
            if self.mode != "keep":
                self.module.train(self.mode == "train")
            torch.manual_seed(self.seed)
            yield

    def weight(self, batch: Batch) -> int:
        """What a batch's loss is multiplied by before :meth:`total` divides the sum."""
        return batch.size if self.reduction == "mean" else 1

    def output(self, batch: Batch) -> Any:
        """The module's answer to a batch."""
        return self.module(*batch.inputs, **batch.keywords)

    def of_output(self, output: Any, batch: Batch) -> Tensor:
        """The weighted loss of a batch, given the module's answer."""
        value = self.criterion(output, *batch.target)
        if not isinstance(value, Tensor) or value.numel() != 1:
            shape = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
            raise InputError(
                f"the loss must return one number per batch, got {shape}; return the mean "
                "over the examples"
            )
        if not bool(torch.isfinite(value.detach())):
            raise NotFiniteError(
                f"the loss is {float(value.detach())} on a batch of size {batch.size}"
            )
        return value.reshape(()) * self.weight(batch)

    def objective(self, batch: Batch) -> Tensor:
        """The weighted loss of a batch."""
        return self.of_output(self.output(batch), batch)

    def loss(self) -> float:
        r""":math:`L(\theta)`, streamed over the data."""
        value, weight = 0.0, 0
        with self.guard(), torch.no_grad():
            for batch in self.batches():
                value += float(self.objective(batch))
                weight += self.weight(batch)
        return value / self.total(weight)

    def gradient(self) -> Float[Tensor, " p"]:
        r""":math:`\nabla L(\theta)` as a flat vector, streamed over the data."""
        out, weight = torch.zeros(self.size, dtype=self.dtype, device=self.device), 0
        with self.guard():
            for batch in self.batches():
                out += self.flat(self.slopes(self.objective(batch)))
                weight += self.weight(batch)
        return out / self.total(weight)

    def slopes(self, value: Tensor, *, create_graph: bool = False) -> Sequence[Tensor | None]:
        """The gradient of one number, parameter by parameter; ``None`` where it does not enter."""
        if not value.requires_grad:
            return [None] * len(self.named)
        return torch.autograd.grad(
            value, self.parameters, create_graph=create_graph, allow_unused=True
        )

    def total(self, weight: int) -> int:
        """The divisor of a weighted sum: the number of examples for a mean, else 1."""
        if weight == 0:
            raise InputError("data has no batches; a landscape needs at least one example")
        return weight if self.reduction == "mean" else 1

    def stamp(self) -> tuple[tuple[int, int], ...]:
        """Changes whenever a parameter or a buffer was written to or replaced."""
        every = (*self.module.parameters(), *self.module.buffers())
        return tuple((t.data_ptr(), t._version) for t in every)


def _selected(module: nn.Module, wanted: str | Iterable[str] | None) -> dict[str, Tensor]:
    named = dict(module.named_parameters())  # a shared parameter appears under its first name
    if wanted is None:
        chosen: dict[str, Tensor] = {name: p for name, p in named.items() if p.requires_grad}
        if not chosen:
            raise InputError(
                f"no parameter of {type(module).__name__} requires a gradient; name the "
                "parameters to use with parameters=['...']"
            )
        return chosen
    aliases = {n: p for n, p in module.named_parameters(remove_duplicate=False)}
    picked: set[int] = set()
    for pattern in [wanted] if isinstance(wanted, str) else wanted:
        hits = [
            p
            for name, p in aliases.items()
            if name == pattern or name.startswith(pattern + ".") or fnmatchcase(name, pattern)
        ]
        if not hits:
            known = ", ".join(named) or "none at all"
            raise InputError(f"no parameter is called '{pattern}'; the parameters are {known}")
        picked.update(id(p) for p in hits)
    if not picked:
        raise InputError(
            "parameters is an empty list; name at least one parameter, or pass None for all"
        )
    return {name: p for name, p in named.items() if id(p) in picked}
