r"""The ensemble of thinned networks that a module with dropout stands for.

Works on any module with ``nn.Dropout`` layers (or ours): their outputs are replaced by masked
inputs, one mask a member of the ensemble for all examples. The module comes back as it was.

:source: Perez Jensen (2025), Deep Learning, Section 8.4; Srivastava et al. (2014), "Dropout: a
    simple way to prevent neural networks from overfitting"; Gal and Ghahramani (2016), "Dropout as
    a Bayesian approximation".
:covers: dropout-ensemble
:erratum: [typo] See :mod:`corollary.theory.tricks.dropout_ensemble`: an index is lost, and the keep
    probability is called dropout probability.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.dropout import Dropout
from corollary.theory.modules.keeping import kept
from corollary.theory.tricks.dropout_ensemble import (
    all_masks,
    arithmetic_mean,
    geometric_mean,
    mask_probabilities,
)

AnyDropout = nn.Dropout | Dropout
Masks = Callable[[int, Tensor], Tensor]  # number of the layer and its input to a mask


@dataclass(frozen=True)
class Ensemble:
    """The outputs of the members, with their probabilities."""

    outputs: Tensor  # (members, examples, ...)
    weights: Tensor  # (members,)

    def mean(self) -> Tensor:
        """The weighted mean of the outputs."""
        return arithmetic_mean(self.outputs, self.weights)

    def probabilities(self) -> Tensor:
        """The mean of the members' softmax: what dropout averages."""
        return arithmetic_mean(torch.softmax(self.outputs, dim=-1), self.weights)

    def geometric(self) -> Tensor:
        """The normalised geometric mean of the members' softmax."""
        return geometric_mean(torch.softmax(self.outputs, dim=-1), self.weights)


def dropout_ensemble(net: nn.Module, x: Tensor) -> Ensemble:
    """All members, with exact probabilities; 2^n passes for n dropped units, at most 16.

    Example:
        >>> net = nn.Sequential(nn.Dropout(0.25), nn.Linear(2, 1, bias=False)).double()
        >>> x = torch.ones(1, 2, dtype=torch.float64)
        >>> torch.allclose(dropout_ensemble(net, x).mean(), weight_scaled(net, x))
        True
    """
    with kept(net):
        return _all_members(net, x)


def _all_members(net: nn.Module, x: Tensor) -> Ensemble:
    layers, widths = _seen(net, x)
    masks = all_masks(sum(widths), dtype=x.dtype).to(x.device)
    keep = torch.cat(
        [x.new_full((w,), 1 - layer.p) for layer, w in zip(layers, widths, strict=True)]
    )
    chosen: list[Tensor] = []  # the member's mask, a piece for each layer

    def listed(i: int, a: Tensor) -> Tensor:
        return chosen[i].reshape(a.shape[1:])

    outputs = []
    with _masked(net, listed), torch.no_grad():
        for pieces in zip(*masks.split(widths, dim=1), strict=True):
            chosen[:] = pieces
            outputs.append(net.eval()(x))
    return Ensemble(torch.stack(outputs), mask_probabilities(masks, keep))


def mc_dropout(net: nn.Module, x: Tensor, samples: int, *, rng: Generator) -> Ensemble:
    """Members drawn at random, equally weighted; the mean has error O(samples^(-1/2)).

    Example:
        >>> net = nn.Sequential(nn.Dropout(0.5), nn.Linear(30, 2))
        >>> found = mc_dropout(net, torch.ones(4, 30), 10, rng=torch.Generator().manual_seed(0))
        >>> tuple(found.outputs.shape)
        (10, 4, 2)
    """
    if samples < 1:
        raise InputError(f"at least one sample is needed, got samples={samples}")

    def draw(i: int, a: Tensor) -> Tensor:
        u = torch.rand(a.shape[1:], generator=rng, device=rng.device)
        return (u.to(a.device) >= layers[i].p).to(a)

    with kept(net):
        layers, _ = _seen(net, x)
        with _masked(net, draw), torch.no_grad():
            outputs = [net.eval()(x) for _ in range(samples)]
    return Ensemble(torch.stack(outputs), x.new_full((samples,), 1 / samples))


def weight_scaled(net: nn.Module, x: Tensor) -> Tensor:
    """The network with weights times keep probabilities: what it computes in evaluation.

    ``nn.Dropout`` divides by the keep probability while training, so that nothing is left to do.

    Example:
        >>> weight_scaled(nn.Dropout(0.5), torch.ones(1, 2)).tolist()
        [[1.0, 1.0]]
    """
    with kept(net), torch.no_grad():
        scaled: Tensor = net.eval()(x)
    return scaled


def _seen(net: nn.Module, x: Tensor) -> tuple[list[AnyDropout], list[int]]:
    """The dropout layers and the units that each drops, in the order of the calls."""
    widths: list[int] = []

    def note(i: int, a: Tensor) -> Tensor:
        widths.append(a[0].numel())
        return torch.ones_like(a[0])

    layers = _dropouts(net)
    with _masked(net, note), torch.no_grad():
        net.eval()(x)
    if len(widths) != len(layers):
        raise InputError(
            f"{len(layers)} dropout layers were called {len(widths)} times in "
            "total, but each must be called once"
        )
    return layers, widths


def _dropouts(net: nn.Module) -> list[AnyDropout]:
    found = [m for m in net.modules() if isinstance(m, AnyDropout)]
    if not found:
        raise InputError(f"{type(net).__name__} has no dropout layer, so it is its own ensemble")
    return found


@contextmanager
def _masked(net: nn.Module, masks: Masks) -> Iterator[None]:
    """Within the block dropout layers multiply by masks over their keep probability."""

    def hook(i: int) -> Callable[[AnyDropout, tuple[Tensor], Tensor], Tensor]:
        def replace(module: AnyDropout, inputs: tuple[Tensor], output: Tensor) -> Tensor:
            a = inputs[0]
            scale = 1 - module.p if getattr(module, "inverted", True) else 1.0
            return a * masks(i, a) / scale

        return replace

    handles = [m.register_forward_hook(hook(i)) for i, m in enumerate(_dropouts(net))]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
