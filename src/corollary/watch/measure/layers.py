"""One pass with hooks on the layers: dead units, effective rank, per-example gradients.

The hooks exist for one pass only. They keep references to tensors that the pass keeps anyway.
"""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from corollary.watch.measure.attention_weights import AttentionCalls
from corollary.watch.measure.inside import WATCHED, Inside
from corollary.watch.measure.noise import example_squares

LAYERS = (nn.Linear, nn.Conv2d)
ROWS = 96  # examples and places from which a rank is computed


@dataclass
class LayerFacts:
    """The readings of one layer in one pass, from its input."""

    name: str
    dead: float  # share of input units that were zero for every example
    rank: float | None  # effective rank of the input, of the last layer only
    squared: float | None = None  # mean squared length of an example's gradient
    batch: float | None = None  # squared length of the batch's gradient


@dataclass
class _Seen:
    layer: nn.Module
    name: str
    a: Tensor
    version: int
    delta: Tensor | None = None


@dataclass
class LayerProbe:
    """Hooks for one pass: attach, let the loop make its pass, then read."""

    model: nn.Module
    handles: list[RemovableHandle] = field(default_factory=list)
    waiting: list[RemovableHandle] = field(default_factory=list)  # on outputs
    seen: dict[str, _Seen] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)  # parameterised modules as they were called
    inside: Inside = field(default_factory=Inside)
    recomputed: bool = False  # whether a layer's pass is made again for its backward pass

    def __post_init__(self) -> None:
        self.calls = AttentionCalls(self.inside.entropy.__setitem__)

    def attach(self) -> None:
        """Attach hooks to every module with its own parameters, and to some modules without."""
        begin = self.model.register_forward_pre_hook(self._begin)
        end = self.model.register_forward_hook(self._end, always_call=True)
        self.handles += [begin, end]
        for name, module in self.model.named_modules():
            if isinstance(module, WATCHED):
                hook = self._look_inside(name)
                self.handles.append(module.register_forward_hook(hook, with_kwargs=True))
            if any(True for _ in module.parameters(recurse=False)):
                self.handles.append(module.register_forward_hook(self._hook(name)))

    def remove_calls(self) -> None:
        """Remove the hooks on modules; hooks on outputs wait for the backward pass."""
        self.calls.stop()
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def remove(self) -> None:
        """Remove all hooks."""
        self.remove_calls()
        for handle in self.waiting:
            handle.remove()
        self.waiting = []

    def forget(self) -> None:
        """Release what was kept."""
        self.remove()
        self.seen = {}

    def _begin(self, module: nn.Module, args: Any) -> None:
        if torch.is_grad_enabled() and not torch.compiler.is_compiling():
            self.calls.start()

    def _end(self, module: nn.Module, args: Any, output: Any) -> None:
        self.calls.stop()  # also after an error of the model's own

    def _hook(self, name: str) -> Any:
        def hook(module: nn.Module, args: Any, output: Any) -> None:
            if torch.compiler.is_compiling():
                return
            self.order.append(name)
            self.recomputed |= _saves_differently()
            usable = isinstance(module, LAYERS) and args and isinstance(args[0], Tensor)
            if not usable or name in self.seen or not torch.is_grad_enabled():
                return
            kept = _Seen(module, name, args[0].detach(), args[0]._version)
            self.seen[name] = kept
            if isinstance(output, Tensor) and output.requires_grad:
                self.waiting.append(output.register_hook(lambda g: _keep(kept, g)))

        return hook

    def _look_inside(self, name: str) -> Any:
        def hook(module: nn.Module, args: Any, kwargs: Any, output: Any) -> None:
            if not torch.compiler.is_compiling() and torch.is_grad_enabled():
                self.inside.see(name, module, args, kwargs, output)

        return hook

    def facts(self, examples: int) -> list[LayerFacts]:
        """Read the results of the pass; ``examples`` is the batch size."""
        found = []
        with torch.no_grad():
            for kept in self.seen.values():
                if kept.a._version == kept.version and kept.a.is_floating_point():
                    found.append(
                        _facts(kept, examples, last=kept.name == next(reversed(self.seen)))
                    )
        return found


def _saves_differently() -> bool:
    """Whether hooks change what is saved for the backward pass, as checkpointing does."""
    top = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)
    return top is not None and top(False) is not None


def _keep(kept: _Seen, g: Tensor) -> None:
    kept.delta = g.detach()


def _facts(kept: _Seen, examples: int, last: bool) -> LayerFacts:
    rows = kept.a.movedim(1, -1) if isinstance(kept.layer, nn.Conv2d) else kept.a
    rows = rows.reshape(-1, rows.shape[-1])
    dead = float((rows.abs().amax(0) == 0).float().mean())
    facts = LayerFacts(kept.name, dead, _effective_rank(rows) if last else None)
    if kept.delta is not None and len(kept.delta) == examples > 1:
        own = example_squares(kept.layer, kept.a, kept.delta)
        weight: Any = kept.layer.weight
        if own is not None and weight.grad is not None:
            facts.squared = float(own.mean())
            facts.batch = float(weight.grad.float().square().sum())
    return facts


def _effective_rank(rows: Tensor) -> float | None:
    r"""The exponential of the entropy of normalised singular values (Roy and Vetterli, 2007).

    :source: Roy and Vetterli (2007), "The effective rank: a measure of effective dimensionality".
    """
    if rows.shape[1] < 4 or len(rows) < 4:
        return None
    few = rows[:: max(1, len(rows) // ROWS)][:ROWS].float()
    small = few @ few.T if few.shape[0] <= few.shape[1] else few.T @ few
    if not bool(torch.isfinite(small).all()):
        return None  # a run that diverges
    s = torch.linalg.eigvalsh(small).clamp(min=0).sqrt()
    total = float(s.sum())
    if not 0 < total < float("inf"):
        return None
    p = s / total
    return float(torch.exp(-(p * p.clamp(min=1e-30).log()).sum()))
