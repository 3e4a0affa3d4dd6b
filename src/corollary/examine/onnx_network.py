"""A network in ONNX as a module that can only be called."""

import os
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from corollary.errors import InputError, NotApplicableError

NO_GRADIENTS = (
    "an ONNX network has no backward pass, and this exam needs gradients; examine the module "
    "that was exported"
)


class OnnxNetwork(nn.Module):
    """Calls onnxruntime; inputs by position or by the names that the file gives them.

    The module has no parameters. Asking for gradients with respect to the inputs raises an error.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        import onnxruntime

        super().__init__()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        options.log_severity_level = 3  # errors
        self.session: Any = onnxruntime.InferenceSession(
            os.fspath(path), options, providers=["CPUExecutionProvider"]
        )
        self.places = {place.name: place for place in self.session.get_inputs()}
        self.file = Path(path).name

    def forward(self, *inputs: Tensor, **named: Tensor) -> Tensor | tuple[Tensor, ...]:
        """The output, or a tuple of several outputs."""
        given = dict(zip(self.places, inputs, strict=False)) | named
        arrays = {name: self._array(name, value) for name, value in given.items()}
        out = tuple(torch.from_numpy(array) for array in self.session.run(None, arrays))
        return out[0] if len(out) == 1 else out

    def _array(self, name: str, value: Tensor) -> Any:
        if value.requires_grad or torch._C._functorch.is_functorch_wrapped_tensor(value):
            raise NotApplicableError(NO_GRADIENTS)
        place = self.places.get(name)
        if place is None:
            known = ", ".join(self.places)
            raise InputError(f"{self.file} has no input '{name}'; its inputs are {known}")
        if place.type in KINDS and value.dtype != KINDS[place.type]:
            kind = str(KINDS[place.type]).removeprefix("torch.")
            got = str(value.dtype).removeprefix("torch.")
            # An exam may try another precision; other kinds of numbers are the caller's mistake.
            wrong = NotApplicableError if value.is_floating_point() else InputError
            raise wrong(f"{self.file} takes {kind} as '{name}', got {got}")
        first = place.shape[0] if place.shape else None
        if isinstance(first, int) and len(value) != first:
            raise InputError(
                f"{self.file} accepts only a batch size of {first}, got {len(value)}; export "
                "the network with a dynamic batch dimension"
            )
        return value.detach().cpu().numpy()

    def __deepcopy__(self, memo: dict[int, Any]) -> "OnnxNetwork":
        return self  # it has no state


KINDS = {
    "tensor(float)": torch.float32,
    "tensor(double)": torch.float64,
    "tensor(float16)": torch.float16,
    "tensor(int64)": torch.int64,
    "tensor(int32)": torch.int32,
    "tensor(bool)": torch.bool,
}
