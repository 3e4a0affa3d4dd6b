"""Norms of gradients and updates, parameter by parameter, around one optimizer step."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

HALF = (torch.bfloat16, torch.float16)


def norms(tensors: Sequence[Tensor]) -> list[float]:
    """Euclidean norms, by one fused call where all are dense."""
    dense = [t.coalesce().values() if t.is_sparse else t for t in tensors]
    if not dense:
        return []
    lengths = torch.stack([n.float() for n in torch._foreach_norm(dense)])
    return [float(n) for n in lengths.tolist()]


def total(parts: Sequence[float]) -> float:
    """The norm of all tensors together."""
    return math.hypot(*parts)


@dataclass
class Update:
    """The effect of one step: norms of gradients and updates, by parameter."""

    names: list[str]
    weights: list[float]
    gradients: list[float]
    changes: list[float]
    lost: dict[str, float] = field(default_factory=dict)  # of half precision: share that stayed

    @property
    def ratios(self) -> dict[str, float]:
        """Norm of the update divided by norm of the weight, for weights that are not zero."""
        rows = zip(self.names, self.weights, self.changes, strict=True)
        return {name: change / weight for name, weight, change in rows if weight > 0}


@dataclass
class UpdateReader:
    """Copies parameters before a step and compares after it.

    Args:
        memory: Bytes that the copies may take; larger parameters are left out.
    """

    memory: int
    kept: list[tuple[str, nn.Parameter, Tensor]] = field(default_factory=list)
    gradients: list[float] = field(default_factory=list)

    @torch.no_grad()
    def before(self, named: Sequence[tuple[str, nn.Parameter]]) -> None:
        """Copy what fits."""
        self.kept, room = [], self.memory
        for name, p in sorted(named, key=lambda pair: pair[1].numel()):
            room -= p.numel() * p.element_size()
            if room < 0:
                break
            if p.grad is not None:
                self.kept.append((name, p, p.detach().clone()))
        self.gradients = norms([p.grad for _, p, _ in self.kept if p.grad is not None])

    @torch.no_grad()
    def after(self) -> Update | None:
        """The norms after the step; None if nothing was copied."""
        if not self.kept:
            return None
        names = [name for name, _, _ in self.kept]
        old = [before for _, _, before in self.kept]
        weights = norms(old)
        torch._foreach_sub_(old, [p.detach() for _, p, _ in self.kept])
        lost = {
            name: _stayed(change, p)
            for (name, p, _), change in zip(self.kept, old, strict=True)
            if p.dtype in HALF
        }
        done = Update(names, weights, self.gradients, norms(old), lost)
        self.kept = []
        return done


def _stayed(change: Tensor, p: nn.Parameter) -> float:
    """The share of weights with a gradient that the step did not change."""
    asked = change.new_ones((), dtype=torch.bool) if p.grad is None else p.grad != 0
    return float((asked & (change == 0)).sum()) / max(1, int(asked.sum()))
