"""Verify a property of an ONNX network, both from files."""

import gzip
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from corollary.errors import InputError, MissingExtraError, NotApplicableError, one_line
from corollary.theory.robustness.certificates.clock import going_by
from corollary.theory.robustness.verification.properties import Case, read_property
from corollary.theory.robustness.verification.search import Verdict, verify

if TYPE_CHECKING:
    from corollary.examine.onnx_module import OnnxModule

NEEDED = ("onnx", "onnxruntime")
TOLERANCE = 1e-6  # by which an inequality of the outputs may be missed, for float32 is rounded


def verify_files(network: Path, prop: Path, *, seconds: float = 60.0) -> Verdict:
    """The verdict on a property file (.vnnlib) for a network file (.onnx).

    A counterexample is one for the network as onnxruntime computes it, in the file's own precision.

    Raises:
        InputError: if a file is missing or cannot be read, or they do not belong together.
        MissingExtraError: without the packages onnx and onnxruntime.
    """
    from importlib.util import find_spec

    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"corollary verify needs the package {' and '.join(missing)}, which is not installed: "
            f"pip install {' '.join(NEEDED)}"
        )
    from corollary.examine.onnx_module import OnnxModule

    for path in (network, prop):
        if not path.is_file():
            raise InputError(f"there is no file {path}")
    cases = read_property(_text(prop))
    net = OnnxModule(network).eval()
    d, k = len(cases[0].lower), cases[0].A.shape[1]
    found = _outputs(net, network)
    if (d, k) != (net.inputs, found):
        raise InputError(
            f"expected {d} and {k} as the number of inputs and outputs for {prop.name}, got "
            f"{net.inputs} and {found} from {network.name}"
        )
    with going_by(time.process_time):  # a busy machine decides no less
        return verify(net, cases, _Deployed(network, net.shape, cases), seconds=seconds)


def _outputs(net: "OnnxModule", path: Path) -> int:
    """How many outputs a row has; two rows tell whether the first axis is one of samples."""
    try:
        with torch.no_grad():
            return int(net(torch.zeros(2, net.inputs, dtype=torch.float64)).shape[1])
    except RuntimeError as error:
        raise NotApplicableError(
            f"expected a network whose inputs have a first axis for samples, got {path.name} "
            f"({one_line(str(error))}); export the network with a batch axis"
        ) from None


def _text(path: Path) -> str:
    if path.suffix == ".gz":
        with gzip.open(path, "rt") as file:
            return file.read()
    return path.read_text(encoding="utf-8", errors="replace")


class _Deployed:
    """Whether an input violates the property of the network as onnxruntime computes it."""

    def __init__(self, path: Path, shape: tuple[int, ...], cases: list[Case]) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 4
        self.session: Any = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self.place, self.shape, self.cases = self.session.get_inputs()[0], shape, cases

    def __call__(self, x: Tensor) -> bool:
        kind = torch.float64 if "double" in self.place.type else torch.float32
        given = x.to(kind).reshape(self.shape)
        (out, *_) = self.session.run(None, {self.place.name: given.numpy()})
        y = torch.from_numpy(out).double().flatten()
        there = given.double().flatten()
        return any(self._violates(case, there, y) for case in self.cases)

    def _violates(self, case: Case, x: Tensor, y: Tensor) -> bool:
        inside = bool(((x >= case.lower - 1e-7) & (x <= case.upper + 1e-7)).all())
        return inside and bool((case.A @ y <= case.b + TOLERANCE).all())
