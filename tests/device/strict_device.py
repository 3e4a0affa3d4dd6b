"""A second device without hardware: ordinary memory, and no operation may mix it with the CPU.

PyTorch reserves one dispatch key for backends of other people; here it is a backend in Python. A
tensor on ``strict`` is a real one of that backend (autograd, ``torch.func`` and views treat it as
they treat one on a GPU), whose storage remembers a storage of the CPU. Every operation arrives at
:func:`_run`, which refuses what CUDA refuses, computes on the CPU and stores the results.

What it refuses:

- tensors of both devices in one operation, except a number (0-dimensional) of the CPU, indices of
  the CPU, and copies;
- a generator of the other device;
- ``float64``, if :func:`install` was called with ``float64=False``, as on MPS.

Call :func:`install` before anything is differentiated: the engine counts its devices once. There is
no way back, so tests do it in a process of their own.
"""

import weakref
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

NAME = "strict"
DEVICE = "strict:0"
CPU_KERNELS = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
WIDE = (torch.float64, torch.complex128)
MAY_MIX = {"index", "index_put_", "_index_put_impl_"}  # indices may be on the CPU
ATEN = torch.ops.aten
allowed: dict[str, bool] = {"float64": True}


class MixedDevicesError(RuntimeError):
    """One operation was given tensors, or a generator, of two devices."""


class Generator(torch._C.Generator):  # type: ignore[name-defined,misc]  # a C class
    """``torch.Generator`` of the strict device."""

    device: ClassVar[Any] = property(lambda self: torch.device(DEVICE))


def _is_strict(generator: Any) -> bool:
    """Whether it is of the strict device; C++ hands it over as an object without our class."""
    return isinstance(generator, Generator) or generator._cdata in _strict_generators


_strict_generators: set[int] = set()


class _RefuseGenerators(TorchFunctionMode):
    """Refuse a generator of the strict device where the CPU draws."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if isinstance(kwargs.get("generator"), Generator):
            place = kwargs.get("device") or next(
                (a.device for a in args if isinstance(a, Tensor)), "cpu"
            )
            if torch.device(place).type != NAME:
                raise MixedDevicesError(f"{func.__name__}: expected a generator of the CPU")
        return func(*args, **kwargs)


class _AnyGenerator(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch._C.Generator)

    def __call__(cls, device: Any = "cpu") -> Any:
        on_strict = torch.device(device).type == NAME
        if not on_strict:
            return torch._C.Generator(device=device)
        made = Generator()
        _strict_generators.add(made._cdata)
        weakref.finalize(made, _strict_generators.discard, made._cdata)
        return made


class AnyGenerator(metaclass=_AnyGenerator):
    """What ``torch.Generator`` is while the strict device is installed."""


class Backend:
    """``torch.strict``."""

    @staticmethod
    def is_available() -> bool:
        """It always is."""
        return True

    is_initialized = is_available

    @staticmethod
    def device_count() -> int:
        """One."""
        return 1

    @staticmethod
    def current_device() -> int:
        """The only one."""
        return 0

    @staticmethod
    def _is_in_bad_fork() -> bool:
        return False

    @staticmethod
    def manual_seed_all(seed: int) -> None:
        """Numbers without a generator come from the CPU's, which is seeded already."""

    @staticmethod
    def get_rng_state(device: Any = None) -> Tensor:
        """The state of the CPU's generator."""
        return torch.get_rng_state()

    @staticmethod
    def set_rng_state(state: Tensor, device: Any = None) -> None:
        """Set the state of the CPU's generator."""
        torch.set_rng_state(state)

    @staticmethod
    def get_amp_supported_dtype() -> list[torch.dtype]:
        """The types of autocast."""
        return [torch.bfloat16, torch.float16]


def install(*, float64: bool = True) -> torch.device:
    """Register the device with PyTorch, for the rest of this process."""
    from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

    _setup_privateuseone_for_python_backend(NAME, backend_module=Backend())
    allowed["float64"] = float64
    _library.fallback(_run, "PrivateUse1")
    for name, kernel in KERNELS.items():
        _aten.impl(name, kernel, "PrivateUse1")
    _RefuseGenerators().__enter__()
    torch.Generator = AnyGenerator  # type: ignore[misc,assignment]  # one class for both devices
    torch.UntypedStorage.clone = _cloned  # type: ignore[method-assign,assignment]
    return torch.device(DEVICE)


_aten = torch.library.Library("aten", "IMPL")
_library = torch.library.Library("_", "IMPL")
_clone_of_cpu = torch.UntypedStorage.clone


def _cloned(storage: torch.UntypedStorage) -> Any:
    """A copy of a storage: PyTorch would ask the backend for an allocator, which is in C++."""
    if storage.device.type != NAME:
        return _clone_of_cpu(storage)
    return _storage(_clone_of_cpu(storage.memory))  # type: ignore[attr-defined]


def _storage(memory: Any) -> Any:
    """A storage of the strict device over ``memory``, a storage of the CPU that it keeps alive."""
    made = torch._C._construct_storage_from_data_pointer(
        memory.data_ptr(), torch.device(DEVICE), memory.nbytes()
    )
    made.memory = memory
    return made


def _set(tensor: Tensor, storage: Any, like: Tensor) -> Tensor:
    """Let ``tensor`` be what ``like`` is of its storage; the CPU's kernel reads no memory."""
    ATEN.set_.source_Storage_storage_offset.redispatch(
        CPU_KERNELS, tensor, storage, like.storage_offset(), like.size(), like.stride()
    )
    return tensor


def _run(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Any operation of PyTorch that arrives here."""
    name = op._schema.name.removeprefix("aten::")
    if name == "set_":
        return _set_from(*args)
    if name == "_copy_from":
        return _copied(*args)
    if name == "_efficientzerotensor":
        op = ATEN.zeros.default
    asked = op._schema.arguments
    args = tuple(_tensor_if_asked(*pair) for pair in zip(asked, args, strict=False))
    return _through(op, name, args, kwargs)


def _through(compute: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Refuse what is mixed, compute on the CPU, store what comes out."""
    moved = _Moved()
    inputs = [moved.to_cpu(value) for value in args]
    named = {key: moved.to_cpu(value) for key, value in kwargs.items()}
    moved.refuse_mixed(name, args[0] if args else None)
    result = compute(*inputs, **named)
    for cpu, tensor in moved.tensors.values():
        _follow(tensor, cpu)
    return moved.stored(name, result)


class _Moved:
    """What one operation was given, here and as it stands for it on the CPU."""

    def __init__(self) -> None:
        self.tensors: dict[int, tuple[Tensor, Tensor]] = {}
        self.foreign: list[Tensor] = []
        self.storages: dict[int, Any] = {}  # by their memory

    def to_cpu(self, value: Any) -> Any:
        """The value with each tensor of this device replaced by one over the same memory."""
        if isinstance(value, Tensor):
            return self._tensor(value)
        if isinstance(value, list | tuple):
            return [self.to_cpu(part) for part in value]
        if isinstance(value, torch._C.Generator) and not _is_strict(value):
            raise MixedDevicesError(f"expected a generator of {DEVICE}, got one of the CPU")
        return torch.device("cpu") if isinstance(value, torch.device) else value

    def _tensor(self, value: Tensor) -> Tensor:
        if value.device.type != NAME:
            self.foreign.append(value)
            return value
        storage = value.untyped_storage()
        if not hasattr(storage, "memory"):  # made by C++ without memory: an empty tensor
            storage.memory = torch.empty(0).untyped_storage()
        cpu = torch.empty(0, dtype=value.dtype)
        cpu.set_(storage.memory, value.storage_offset(), value.size(), value.stride())
        if value.is_conj():
            cpu = torch._conj(cpu)
        if value.is_neg():
            cpu = torch._neg_view(cpu)
        self.storages[storage.memory._cdata] = storage
        self.tensors[id(cpu)] = cpu, value
        return cpu

    def refuse_mixed(self, name: str, first: Any) -> None:
        """Raise where CUDA would."""
        if name in MAY_MIX and isinstance(first, Tensor) and first.device.type == NAME:
            return
        strangers = [t for t in self.foreign if t.dim() > 0]
        if strangers:
            here = ", ".join(str(tuple(t.shape)) for _, t in self.tensors.values()) or "nothing"
            there = ", ".join(str(tuple(t.shape)) for t in strangers)
            raise MixedDevicesError(f"{name}: {here} on {DEVICE}, {there} on the CPU")

    def stored(self, name: str, value: Any) -> Any:
        """Results of the CPU as tensors of this device; views share their storage."""
        if isinstance(value, list | tuple):
            return type(value)([self.stored(name, part) for part in value])
        if not isinstance(value, Tensor):
            return value
        if id(value) in self.tensors:
            return self.tensors[id(value)][1]
        if value.dtype in WIDE and not allowed["float64"]:
            raise TypeError(f"{name}: {DEVICE} has no float64; use float32 instead")
        value = value.resolve_conj().resolve_neg()
        memory = value.untyped_storage()
        if memory._cdata not in self.storages:
            self.storages[memory._cdata] = _storage(memory)
        empty = torch._C._acc.create_empty_tensor((0,), value.dtype)
        return _set(empty, self.storages[memory._cdata], value)


def _copied(source: Tensor, target: Tensor, wait: bool = False) -> Tensor:
    """Copies are the one way from a device to another."""
    moved = _Moved()
    moved.to_cpu(target).copy_(moved.to_cpu(source))
    return target


def _tensor_if_asked(argument: Any, value: Any) -> Any:
    """A number that C++ had wrapped as a tensor arrives as a number."""
    plain = isinstance(value, bool | int | float | complex)
    return torch.tensor(value) if plain and str(argument.type) == "Tensor" else value


def _follow(tensor: Tensor, cpu: Tensor) -> None:
    """After an operation that resized its output, take over the new size and memory."""
    storage, memory = tensor.untyped_storage(), cpu.untyped_storage()
    if storage.data_ptr() != memory.data_ptr() or storage.nbytes() != memory.nbytes():
        _set(tensor, _storage(memory), cpu)
    elif tensor.shape != cpu.shape or tensor.stride() != cpu.stride():
        _set(tensor, storage, cpu)


def _set_from(tensor: Tensor, source: Any = None, *place: Any) -> Tensor:
    """``set_`` in its four forms: from nothing, a storage, part of a storage, a tensor."""
    if source is None:
        return _set(tensor, _storage(torch.empty(0).untyped_storage()), torch.empty(0))
    if isinstance(source, Tensor):
        return _set(tensor, source.untyped_storage(), source)
    storage = source.untyped() if isinstance(source, torch.TypedStorage) else source
    rows = storage.nbytes() // tensor.element_size()
    offset, size, stride = place if len(place) == 3 else (0, [rows], [1])
    ATEN.set_.source_Storage_storage_offset.redispatch(
        CPU_KERNELS, tensor, storage, offset, size, stride
    )
    return tensor


def _convolution(*args: Any) -> Any:
    return _through(ATEN.convolution.default, "convolution", args, {})


def _convolution_backward(grad: Tensor, x: Tensor, weight: Tensor, *place: Any) -> Any:
    *settings, mask = place
    transposed, groups = settings[3], settings[5]
    biases = [weight.shape[1] * groups if transposed else weight.shape[0]]
    args = (grad, x, weight, biases, *settings, mask)
    return _through(ATEN.convolution_backward.default, "convolution_backward", args, {})


def _lstm_cell(*args: Any) -> Any:
    return _through(_lstm_step, "lstm_cell", args, {})


def _lstm_step(
    x: Tensor, h: Tensor, c: Tensor, bias: Tensor | None = None, more: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """One step of an LSTM from the linear maps of input and state; the gates for backward."""
    total = x + h if bias is None or more is None else x + h + bias + more
    i, f, g, o = total.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    new = f * c + i * g
    return o * new.tanh(), new, torch.cat([i, f, g, o], 1)


def _lstm_cell_backward(*args: Any) -> Any:
    return _through(_lstm_step_backward, "lstm_cell_backward", args, {})


def _lstm_step_backward(
    grad_h: Tensor | None, grad_c: Tensor | None, c: Tensor, new: Tensor, gates: Tensor, bias: bool
) -> tuple[Tensor, Tensor, Tensor | None]:
    i, f, g, o = gates.chunk(4, 1)
    tanh = new.tanh()
    dh = torch.zeros_like(new) if grad_h is None else grad_h
    dc = dh * o * (1 - tanh**2) + (0 if grad_c is None else grad_c)
    gate = i * (1 - i) * dc * g, f * (1 - f) * dc * c, dc * i * (1 - g**2), o * (1 - o) * dh * tanh
    grad = torch.cat(gate, 1)
    return grad, dc * f, grad.sum(0) if bias else None


KERNELS = {
    "convolution_overrideable": _convolution,
    "convolution_backward_overrideable": _convolution_backward,
    "_thnn_fused_lstm_cell": _lstm_cell,
    "_thnn_fused_lstm_cell_backward_impl": _lstm_cell_backward,
}
