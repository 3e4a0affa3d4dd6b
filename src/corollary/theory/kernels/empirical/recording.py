"""What every layer receives and gives, and which parameters it uses, in one forward pass.

Each call of a layer with a rule runs on fresh copies of its parameters. So an original parameter
that the output still depends on is one that is used outside of such layers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.graph import GradientEdge, get_gradient_edge

from corollary.theory.kernels.empirical.layers import Rule, rule_of
from corollary.theory.kernels.empirical.samples import Inputs, Read, evaluate


@dataclass
class Call:
    """One call of a layer: its input, where its output hangs in the graph, its parameters."""

    path: str
    module: nn.Module
    rule: Rule
    a: Tensor
    version: int
    edge: GradientEdge
    shape: torch.Size  # of the output
    parameters: dict[str, nn.Parameter]  # the originals, trainable ones only


@dataclass
class Tape:
    """A forward pass."""

    f: Tensor  # (n, c)
    calls: list[Call]

    def loose(self, parameters: list[nn.Parameter]) -> list[nn.Parameter]:
        """Parameters that are used outside of the recorded layers."""
        if not self.f.requires_grad:
            return []
        grads = torch.autograd.grad(
            self.f.sum(), parameters, allow_unused=True, retain_graph=True, materialize_grads=False
        )
        return [p for p, g in zip(parameters, grads, strict=True) if g is not None]


def record(model: nn.Module, x: Inputs, read: Read | None) -> Tape:
    """Run the module once; hooks are gone afterwards."""
    with _recorder(model) as calls, torch.enable_grad():
        f = evaluate(model, x, read, type(model).__name__)
    return Tape(f, list(calls))


@contextmanager
def _recorder(model: nn.Module) -> Iterator[list[Call]]:
    calls: list[Call] = []
    handles = []
    try:
        for path, module in model.named_modules():
            rule = rule_of(module)
            if rule is not None and any(p.requires_grad for p in module.parameters(recurse=False)):
                layer = _Layer(path, module, rule, calls)
                handles.append(module.register_forward_pre_hook(layer.before))
                handles.append(
                    module.register_forward_hook(layer.after, prepend=True, always_call=True)
                )
        yield calls
    finally:
        for handle in handles:
            handle.remove()


class _Layer:
    """The two hooks of one layer."""

    def __init__(self, path: str, module: nn.Module, rule: Rule, calls: list[Call]) -> None:
        self.path, self.module, self.rule, self.calls = path, module, rule, calls
        self.originals: dict[str, nn.Parameter] | None = None

    def before(self, module: nn.Module, args: tuple[Any, ...]) -> None:
        self.originals = {
            k: p for k, p in module._parameters.items() if p is not None and p.requires_grad
        }
        for name, p in self.originals.items():
            module._parameters[name] = p.detach().requires_grad_()  # type: ignore[assignment]

    def after(self, module: nn.Module, args: tuple[Any, ...], out: Any) -> None:
        if self.originals is None:
            return
        originals, self.originals = self.originals, None
        module._parameters.update(originals)
        if isinstance(out, Tensor) and out.requires_grad:
            a = args[0]
            edge = get_gradient_edge(out)  # what happens in place to `out` later does not matter
            self.calls.append(
                Call(self.path, module, self.rule, a.detach(), a._version, edge, out.shape,
                     originals)
            )  # fmt: skip
