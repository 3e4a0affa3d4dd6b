"""The network as a function of real inputs: evaluated anywhere between and beyond the samples."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from corollary.core import Batch, Subject
from corollary.core.nested import tensors_in
from corollary.errors import NotApplicableError
from corollary.theory.expressivity.regions.breakpoints import module_thresholds

OUTPUTS = 32  # numbers of an output that are looked at; of more, random combinations
COARSE = 0.1  # relative rounding beyond which nothing can be said of the function
ROWS = 512  # points evaluated at a time


@dataclass(frozen=True)
class Probe:
    """The subject as a function of all its float inputs, concatenated to one row per sample.

    To be called inside ``subject.borrowed()``.
    """

    subject: Subject
    batch: Batch
    x: Tensor  # the samples, one row each, in double precision

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.x)

    def outputs(self, rows: Tensor) -> Tensor:
        """All numbers of the output at these points, in double precision."""
        parts = []
        with torch.no_grad():
            for part in rows.split(ROWS):
                output = self.subject.output(self._batch(part))
                if output.dim() == 0 or len(output) != len(part) or output.is_complex():
                    raise NotApplicableError("the output is not one row of real numbers per sample")
                parts.append(output.reshape(len(part), -1).cpu().double())
        return torch.cat(parts)

    def values(self, rows: Tensor) -> Tensor:
        """Like :meth:`outputs`, but very many outputs are replaced by random combinations."""
        y = self.outputs(rows)
        if y.shape[1] <= OUTPUTS:
            return y
        rng = self.subject.rng("probe")
        signs = torch.randint(2, (y.shape[1], OUTPUTS), generator=rng) * 2.0 - 1
        return y @ signs.to(y) / math.sqrt(y.shape[1])

    def rounding(self) -> float:
        """The relative error of the outputs that rounding alone can cause.

        Raises:
            NotApplicableError: if that error is as large as the output itself, as in half
            precision.
        """
        dtypes = [t.dtype for t in self.batch.tensors() if t.is_floating_point()]
        error = 256 * max(torch.finfo(dtype).eps for dtype in dtypes)
        if error > COARSE:
            raise NotApplicableError(
                "in half precision this cannot be distinguished from rounding error; examine "
                "a copy in float32"
            )
        return error

    def numbers(self) -> int:
        """How many numbers all layers together compute for one sample."""
        return sum(size for _, size in self._layers())

    def units(self) -> int:
        """The number of nonlinear units; if no activation is a module, of all units."""
        bending = [size for layer, size in self._layers() if module_thresholds(layer) is not None]
        return sum(bending) or self.numbers()

    def _layers(self) -> list[tuple[nn.Module, int]]:
        found: list[tuple[nn.Module, int]] = []

        def see(layer: nn.Module, _inputs: object, output: object) -> None:
            if isinstance(output, Tensor) and output.dim() > 0:
                found.append((layer, output[0].numel()))

        leaves = [m for m in self.subject.model.modules() if not [*m.children()]]
        handles = [layer.register_forward_hook(see) for layer in leaves]
        try:
            self.outputs(self.x[:1])
        finally:
            for handle in handles:
                handle.remove()
        return found

    def _batch(self, rows: Tensor) -> Batch:
        tensors, start = [], 0
        for t in self.batch.tensors():
            if t.is_floating_point():
                width = t[0].numel()
                part = rows[:, start : start + width]
                tensors.append(part.reshape(len(rows), *t.shape[1:]).to(t))
                start += width
            else:  # labels that the module is given along; they change its loss alone
                tensors.append(t[:1].expand(len(rows), *t.shape[1:]))
        return self.batch.with_inputs(*tensors)


def probe_of(subject: Subject, n: int, *, least: int = 8) -> Probe:
    """The subject on its first ``n`` samples.

    Raises:
        NotApplicableError: if an input is not floating-point, or there are too few samples.
    """
    batch = subject.data(n)
    named = {k: v for k, v in batch.named.items() if k != "labels"}
    inputs = list(tensors_in((batch.inputs, named)))
    if not inputs or not all(t.is_floating_point() and t.dim() > 0 for t in inputs):
        raise NotApplicableError("this exam is for floating-point inputs")
    if batch.size < least:
        raise NotApplicableError(f"this exam needs at least {least} samples, got {batch.size}")
    floats = [t for t in batch.tensors() if t.is_floating_point()]
    x = torch.cat([t.detach().reshape(batch.size, -1).cpu().double() for t in floats], dim=1)
    if not bool(torch.isfinite(x).all()):
        raise NotApplicableError("the inputs are not finite")
    return Probe(subject, batch, x)


def segments(probe: Probe, a: Tensor, b: Tensor, points: int) -> Tensor:
    """Values at equally spaced points from rows of ``a`` to those of ``b``: (rows, points, k)."""
    t = torch.linspace(0, 1, points, dtype=torch.float64)[:, None]
    rows = a[:, None] + t * (b - a)[:, None]
    return torch.unflatten(probe.values(rows.flatten(0, 1)), 0, (len(a), points))


def pairs(probe: Probe, count: int, name: str) -> tuple[Tensor, Tensor]:
    """Pairs of different samples, drawn at random."""
    rng = probe.subject.rng(name)
    i = torch.randint(probe.n, (count,), generator=rng)
    j = (i + torch.randint(1, probe.n, (count,), generator=rng)) % probe.n
    apart = (probe.x[i] != probe.x[j]).any(dim=1)
    if not bool(apart.any()):
        raise NotApplicableError("all samples are the same")
    return probe.x[i[apart]], probe.x[j[apart]]


def spread(y: Tensor) -> float:
    """Mean square distance of the rows from their mean."""
    return float((y - y.mean(0)).square().sum(1).mean())
