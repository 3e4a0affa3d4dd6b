"""Restore a module and its surroundings bit for bit after use.

Parameters, buffers, gradients, plain attributes, modes, hooks; the random states of torch, Python
and NumPy; default dtype, thread count and grad mode. Costs one copy of parameters, buffers and
gradients.

Inside the block the module works on copies of its buffers. Its own are not written to, so an
autograd graph made inside may be used after the block (a graph refuses tensors that were written to
since, be it with the same bits).
"""

import random
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn


@contextmanager
def kept(model: nn.Module, *, read_only: bool = False) -> Iterator[None]:
    """Whatever the block does to ``model`` and to the global state is undone at its end.

    Args:
        model: Any module.
        read_only: The block writes neither to parameters nor to their gradients, so these need no
            copy.

    Example:
        >>> layer = nn.Linear(1, 1)
        >>> before = layer.weight.clone()
        >>> with kept(layer):
        ...     _ = nn.init.zeros_(layer.weight)
        >>> torch.equal(layer.weight, before)
        True
    """
    states = [_ModuleState(module) for module in model.modules()]
    scripted = [m for m in model.modules() if _has_mode_elsewhere(m)]
    modes = [module.training for module in scripted]
    tensors = [
        _TensorState(tensor, copied=not (read_only and isinstance(tensor, nn.Parameter)))
        for tensor in _tensors(model)
    ]
    world = World()
    _lend_buffers(model)
    for module in model.modules():  # hooks are seen by the module itself, not by what it compiled
        vars(module).pop("_compiled_call_impl", None)
    try:
        yield
    finally:
        for state in states:
            state.restore()
        for script, mode in zip(scripted, modes, strict=True):
            if script.training != mode:
                script.training = mode
        for tensor in tensors:
            tensor.restore()
        world.restore()


@contextmanager
def requiring_grad(parameters: Iterable[Tensor]) -> Iterator[None]:
    """Frozen parameters can be differentiated; they are frozen again afterwards."""
    frozen = [p for p in parameters if not p.requires_grad]
    for p in frozen:
        p.requires_grad_(True)
    try:
        yield
    finally:
        for p in frozen:
            p.requires_grad_(False)


def _has_mode_elsewhere(module: nn.Module) -> bool:
    """Whether a module is scripted, and not frozen: that one has no mode."""
    return isinstance(module, torch.jit.ScriptModule) and hasattr(module, "training")


def _lend_buffers(model: nn.Module) -> None:
    """Put copies in the place of buffers; one that is held in two places stays one tensor."""
    copies: dict[int, Tensor] = {}
    for module in model.modules():
        if isinstance(module, torch.jit.ScriptModule):
            continue  # these do not take back the ones they had: values are restored instead
        for name, buffer in module._buffers.items():
            if buffer is not None and not buffer.requires_grad:
                copy = copies.setdefault(id(buffer), buffer.detach().clone())
                module._buffers[name] = copy


def _tensors(model: nn.Module) -> Iterator[Tensor]:
    """Every tensor a module holds, each once: parameters, buffers and plain attributes."""
    seen: set[int] = set()
    for module in model.modules():
        held = [*module._parameters.values(), *module._buffers.values(), *vars(module).values()]
        for tensor in held:
            if isinstance(tensor, Tensor) and id(tensor) not in seen:
                seen.add(id(tensor))
                yield tensor


class _ModuleState:
    """Attributes, and the dictionaries (parameters, buffers, submodules, hooks) as they stand."""

    def __init__(self, module: nn.Module) -> None:
        self.module = module
        self.attributes = dict(vars(module))
        self.entries = {k: dict(v) for k, v in self.attributes.items() if isinstance(v, dict)}
        self.lists = {k: list(v) for k, v in self.attributes.items() if isinstance(v, list)}

    def restore(self) -> None:
        state = vars(self.module)
        state.clear()
        state.update(self.attributes)
        for name, entries in self.entries.items():
            state[name].clear()
            state[name].update(entries)
        for name, items in self.lists.items():
            state[name][:] = items


class _TensorState:
    """Values (if copied), gradient and the flag that asks for one."""

    def __init__(self, tensor: Tensor, copied: bool) -> None:
        self.tensor = tensor
        self.data = tensor.detach().clone() if copied else None
        self.version = tensor._version
        self.requires_grad = tensor.requires_grad
        self.grad = tensor.grad if tensor.is_leaf else None
        self.grad_data = self.grad.detach().clone() if copied and self.grad is not None else None

    def restore(self) -> None:
        with torch.no_grad():
            if self.data is not None and self._changed(self.data):
                # `.data` does not count as a change that autograd would object to.
                self.tensor.data.copy_(self.data)
            if self.tensor.is_leaf:
                if self.tensor.is_floating_point() or self.tensor.is_complex():
                    self.tensor.requires_grad_(self.requires_grad)
                self.tensor.grad = self.grad
                if self.grad is not None and self.grad_data is not None:
                    self.grad.data.copy_(self.grad_data)

    def _changed(self, data: Tensor) -> bool:
        return self.tensor._version != self.version or not torch.equal(self.tensor, data)


class World:
    """Global state that a forward pass, an exam or a loader may touch, as it was."""

    def __init__(self) -> None:
        self.torch_rng = torch.get_rng_state()
        self.cuda_rng = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else None
        self.python_rng = random.getstate()
        numpy: Any = sys.modules.get("numpy")
        self.numpy_rng = numpy.random.get_state() if numpy else None
        self.dtype = torch.get_default_dtype()
        self.threads = torch.get_num_threads()
        self.grad = torch.is_grad_enabled()

    def restore(self) -> None:
        """Put all of it back."""
        torch.set_rng_state(self.torch_rng)
        if self.cuda_rng is not None:
            torch.cuda.set_rng_state_all(self.cuda_rng)
        random.setstate(self.python_rng)
        if self.numpy_rng is not None:
            sys.modules["numpy"].random.set_state(self.numpy_rng)
        torch.set_default_dtype(self.dtype)
        if torch.get_num_threads() != self.threads:
            torch.set_num_threads(self.threads)
        torch.set_grad_enabled(self.grad)
