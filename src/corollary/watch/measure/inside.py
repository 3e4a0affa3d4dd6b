r"""Measurements inside layers: attention, saturation, batch statistics, movement of weights.

Attention: the entropy of the weights of each query divided by the entropy of equal weights. It is 1
for a mean over all tokens and 0 for a single token; an entropy that collapses goes with unstable
training. Saturation: the share of sigmoid and tanh outputs within a hundredth of their limits,
where the slope is below a twentieth of its largest. Batch norm: the distance between the means of a
batch and the running means that evaluation uses, in running standard deviations. Movement: the
distance of the weights from their initial values, divided by the norm of the initial values; far
below 1 the network is close to its linearization.

:source: Zhai, Likhomanenko, Littwin et al. (2023), "Stabilizing transformer training by preventing
    attention entropy collapse", Section 3; Ioffe and Szegedy (2015), "Batch normalization";
    Chizat, Oyallon and Bach (2019), "On lazy training in differentiable programming".
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core.measurement import Reading
from corollary.theory.confidence.mean import student
from corollary.watch.measure.entropy import EXAMPLES, normalized_entropy

ROWS = 64  # examples whose batch statistics and outputs are looked at
SAMPLE = 1024  # weights per tensor whose movement is followed
SQUASHING = (nn.Tanh, nn.Sigmoid, nn.Hardtanh, nn.Hardsigmoid)
WATCHED = (*SQUASHING, nn.MultiheadAttention, nn.modules.batchnorm._BatchNorm)


@dataclass
class Inside:
    """Numbers of one pass, by layer."""

    saturated: dict[str, float] = field(default_factory=dict)
    entropy: dict[str, float] = field(default_factory=dict)
    shift: dict[str, float] = field(default_factory=dict)

    @torch.no_grad()
    def see(
        self, name: str, module: nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any], out: Any
    ) -> None:
        """A layer has computed."""
        if isinstance(module, SQUASHING) and isinstance(out, Tensor):
            self.saturated[name] = saturation(out[:ROWS])
        elif isinstance(module, nn.MultiheadAttention):
            found = _attention(module, args, kwargs)
            if found is not None:
                self.entropy[name] = found
        elif isinstance(module, nn.modules.batchnorm._BatchNorm) and args and module.training:
            found = batch_shift(module, args[0])
            if found is not None:
                self.shift[name] = found

    def readings(self) -> dict[str, Reading]:
        """The value of the worst layer of each kind, with the range over all layers."""
        rows = (
            ("saturated units", self.saturated, max),
            ("attention entropy", self.entropy, min),
            ("batch norm shift", self.shift, max),
        )
        return {
            name: Reading(worst(v.values()), min(v.values()), max(v.values()))
            for name, v, worst in rows
            if v
        }


def saturation(out: Tensor) -> float:
    """The share of outputs within a hundredth of the ends of their range.

    Example:
        >>> saturation(torch.tensor([0.999, 0.5, -0.999, 0.0]))
        0.5
    """
    low = -1.0 if float(out.amin()) < 0 else 0.0
    width = 0.01 * (1.0 - low)
    return float(((out > 1 - width) | (out < low + width)).float().mean())


def batch_shift(norm: Any, x: Tensor) -> float | None:
    """The mean distance of batch means from stored ones, in stored standard deviations."""
    if norm.running_mean is None or x.dim() < 2 or int(norm.num_batches_tracked) < 2:
        return None
    dims = [i for i in range(x.dim()) if i != 1]
    mean = x[:ROWS].float().mean(dims)
    spread = (norm.running_var + norm.eps).sqrt()
    return float(((mean - norm.running_mean).abs() / spread).mean())


def _attention(
    layer: nn.MultiheadAttention, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> float | None:
    """Entropy of self- or cross-attention with one common projection, in a batch of rows."""
    given = dict(zip(("query", "key", "value"), args, strict=False)) | dict(kwargs)
    q, k, mask = given.get("query"), given.get("key"), given.get("attn_mask")
    weight, bias = layer.in_proj_weight, layer.in_proj_bias
    if q is None or k is None or weight is None or q.dim() != 3 or k.dim() != 3:
        return None
    if not layer.batch_first:
        q, k = q.transpose(0, 1), k.transpose(0, 1)
    weights = weight.split(layer.embed_dim)
    biases = (None,) * 3 if bias is None else bias.split(layer.embed_dim)
    parts = [
        nn.functional.linear(t[:EXAMPLES].to(weight), weights[i], biases[i])
        for i, t in ((0, q), (1, k))
    ]
    q, k = (p.unflatten(-1, (layer.num_heads, -1)).transpose(1, 2) for p in parts)
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if isinstance(mask, Tensor) and mask.dim() == 2:
        scores = scores.masked_fill(mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    return normalized_entropy(scores)


class Movement:
    """A sample of the weights at the first reading, and their distance from these values."""

    def __init__(self) -> None:
        self.first: dict[str, tuple[Tensor, Tensor]] = {}

    @torch.no_grad()
    def read(
        self, named: Sequence[tuple[str, nn.Parameter]], level: float = 0.95
    ) -> Reading | None:
        """Mean relative movement of weight matrices; None at the first reading.

        The interval is Student's interval over the tensors.
        """
        moved = []
        for name, p in named:
            if p.dim() < 2 or not p.requires_grad:
                continue
            flat = p.detach().reshape(-1)
            if name not in self.first:
                every = max(1, len(flat) // SAMPLE)
                at = torch.arange(0, len(flat), every)[:SAMPLE].to(flat.device)
                self.first[name] = at, flat[at].clone()
                continue
            at, was = self.first[name]
            length = float(was.float().norm())
            if length > 0:
                moved.append(float((flat[at] - was).float().norm()) / length)
        if not moved:
            return None
        n, mean = len(moved), sum(moved) / len(moved)
        if n < 2:
            return Reading(mean, mean, mean)
        spread = math.sqrt(sum((m - mean) ** 2 for m in moved) / (n - 1) / n)
        half = student(n - 1, level) * spread
        return Reading(mean, max(0.0, mean - half), mean + half)
