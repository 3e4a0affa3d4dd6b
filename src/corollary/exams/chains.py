"""Networks that are a chain: each layer reads the output of the layer before it."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from corollary.core import Batch, Subject
from corollary.errors import NotApplicableError

ROUNDS = 30  # of power iteration; a convolution's norm is then known to some per cent
# Lipschitz constants of activations, each the largest slope.
_SLOPE_ONE: tuple[type[nn.Module], ...] = (
    *(nn.ReLU, nn.ReLU6, nn.ELU, nn.Tanh, nn.Hardtanh, nn.Softplus, nn.Softsign),
    *(nn.Identity, nn.Flatten, nn.Dropout, nn.Dropout2d),
)
_SLOPES = {**dict.fromkeys(_SLOPE_ONE, 1.0), nn.Sigmoid: 0.25, nn.GELU: 1.13, nn.SiLU: 1.1}
_CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
_POOLS = (nn.MaxPool1d, nn.MaxPool2d, nn.AvgPool1d, nn.AvgPool2d)
_NO_WEIGHTS = (nn.Flatten, nn.Identity, nn.Dropout)  # in evaluation mode


@dataclass(frozen=True)
class Link:
    """A layer, its name, and its input and output for one sample."""

    name: str
    layer: nn.Module
    x: Tensor
    y: Tensor


def chain_of(subject: Subject, batch: Batch) -> list[Link]:
    """The layers in their order; to be called inside ``subject.borrowed()``.

    Raises:
        NotApplicableError: if the network is not a chain of modules that are each called once.
    """
    links: list[Link] = []
    keep: list[Tensor] = []  # kept alive, so that tensors can be compared by identity

    def see(name: str) -> object:
        def hook(layer: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
            keep.extend((inputs[0], output))
            links.append(Link(name, layer, inputs[0], output))

        return hook

    handles = [
        module.register_forward_hook(see(name))
        for name, module in subject.model.named_modules()
        if not [*module.children()]
    ]
    try:
        with torch.no_grad():
            raw = subject.call(batch)
    except (IndexError, AttributeError, TypeError):
        raise NotApplicableError(_NO_CHAIN) from None
    finally:
        for handle in handles:
            handle.remove()
    tensors = [*batch.tensors()[:1], *(link.y for link in links)]
    linked = all(link.x is before for link, before in zip(links, tensors, strict=False))
    names = [link.name for link in links]
    if not links or not linked or tensors[-1] is not raw or len(set(names)) < len(names):
        raise NotApplicableError(_NO_CHAIN)
    return [Link(k.name, k.layer, k.x[:1], k.y[:1]) for k in links]


_NO_CHAIN = (
    "the network is not a plain chain of layers in which each layer is a module that is called once"
)


def lipschitz_constants(chain: list[Link], seed: int) -> list[tuple[str, float]]:
    """An upper bound on the slope of each layer; for a convolution by power iteration.

    Raises:
        NotApplicableError: for a layer of another kind; the message names it.
    """
    return [(link.name, _lipschitz(link, seed)) for link in chain]


def dense_relu_matrices(chain: list[Link]) -> tuple[list[Tensor], bool]:
    r"""The matrices of linear layers with (leaky) ReLU, and whether the layers have biases.

    With biases a layer is :math:`\begin{pmatrix}W&b\\0&1\end{pmatrix}` on the sample with a 1
    appended, which a rectifier keeps; the last layer has no row for the 1.

    Raises:
        NotApplicableError: for a chain of another kind.
    """
    dense = [link.layer for link in chain if isinstance(link.layer, nn.Linear)]
    for link in chain:
        rectifier = isinstance(link.layer, nn.ReLU) or (
            isinstance(link.layer, nn.LeakyReLU) and abs(link.layer.negative_slope) <= 1
        )
        if not (rectifier or isinstance(link.layer, (nn.Linear, *_NO_WEIGHTS))):
            raise NotApplicableError(
                f"the bound is for linear layers with ReLU, and '{link.name}' has type "
                f"{type(link.layer).__name__}"
            )
    if not dense:
        raise NotApplicableError("there is no linear layer")
    biased = any(layer.bias is not None for layer in dense)
    matrices = []
    for i, layer in enumerate(dense):
        W = layer.weight.detach().cpu().double()
        if biased:
            b = W.new_zeros(len(W)) if layer.bias is None else layer.bias.detach().cpu().double()
            W = torch.cat([W, b[:, None]], dim=1)
            if i < len(dense) - 1:
                last = W.new_zeros(1, W.shape[1])
                last[0, -1] = 1.0
                W = torch.cat([W, last])
        matrices.append(W)
    return matrices, biased


def _lipschitz(link: Link, seed: int) -> float:
    layer = link.layer
    if isinstance(layer, nn.Linear):
        return float(torch.linalg.matrix_norm(layer.weight.detach().cpu().double(), 2))
    if isinstance(layer, _CONVOLUTIONS):
        return _power_iteration(layer, link.x, seed)
    if isinstance(layer, nn.LeakyReLU):
        return max(1.0, abs(layer.negative_slope))
    if isinstance(layer, nn.BatchNorm1d | nn.BatchNorm2d) and layer.running_var is not None:
        scale = torch.ones(()) if layer.weight is None else layer.weight.detach()
        return float((scale / (layer.running_var + layer.eps).sqrt()).abs().max())
    if isinstance(layer, _POOLS) and layer.stride == layer.kernel_size:
        return 1.0  # windows do not overlap
    for kind, slope in _SLOPES.items():
        if isinstance(layer, kind):
            return slope
    raise NotApplicableError(
        f"there is no known bound on the slope of '{link.name}' (type {type(layer).__name__})"
    )


def _power_iteration(layer: nn.Module, x: Tensor, seed: int) -> float:
    rng = torch.Generator().manual_seed(seed)
    v = torch.randn(x.shape, generator=rng).to(x)
    zero = layer(torch.zeros_like(x)).detach()
    norm = math.nan
    with torch.enable_grad():
        for _ in range(ROUNDS):
            v = (v / v.norm()).requires_grad_(True)
            y = layer(v) - zero
            norm = float(y.detach().norm())
            if norm == 0:
                return 0.0
            (v,) = torch.autograd.grad(y, v, y.detach())
    return norm
