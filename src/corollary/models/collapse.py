r"""A network of affine layers as the one affine map it is.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2.3, Theorem 11; Perez Jensen
    (2025), Deep Learning, Section 2.3.
"""

import torch
from torch import nn

from corollary.errors import NotApplicableError
from corollary.models.linear_autoencoder import LinearAutoencoder
from corollary.models.mlp import Dense, LinearLayer
from corollary.theory.networks.activations import LINEAR
from corollary.theory.networks.affine_maps import AffineMap, composed


def collapse_linear(network: nn.Module) -> AffineMap:
    r"""The matrix and the offset of a network without non-linearity.

    Takes ``nn.Linear``, ``nn.Identity``, the layers of :mod:`corollary.models.mlp` with the
    activation ``linear``, linear autoencoders, and containers of these in the order in which they
    run (``nn.Sequential``, :class:`~corollary.models.compose.Compose`,
    :class:`~corollary.models.mlp.MLP`). Any other layer is refused, by its path.

    Example:
        >>> net = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 4, bias=False))
        >>> W, b = collapse_linear(net)
        >>> torch.allclose(net(torch.eye(3)), torch.eye(3) @ W.T + b, atol=1e-6)
        True
        >>> int(torch.linalg.matrix_rank(W)) <= 2
        True

    :covers: linear-composition
    """
    maps = _maps(network, "")
    if not maps:
        raise NotApplicableError("the network has no affine layer, so it has no matrix")
    return composed(maps)


def _maps(module: nn.Module, path: str) -> list[AffineMap]:
    if isinstance(module, nn.Identity):
        return []
    if isinstance(module, nn.Linear):
        return [_affine(module.weight, module.bias)]
    if isinstance(module, LinearLayer):
        return [_affine(module.W, module.b)]
    if isinstance(module, Dense) and module.phi is LINEAR:
        return [_affine(module.affine.W, module.affine.b)]
    if isinstance(module, LinearAutoencoder):
        return [_affine(module.C, None), _affine(module.D, None)]
    parts = module if isinstance(module, nn.Sequential) else getattr(module, "layers", None)
    if isinstance(parts, nn.Sequential | nn.ModuleList):
        inner = [_maps(part, f"{path}.{name}") for name, part in parts.named_children()]
        return [one for part in inner for one in part]
    raise NotApplicableError(
        f"only affine layers collapse to a matrix, but '{path.lstrip('.') or 'the network'}' is "
        f"a module of type {type(module).__name__}"
        + (f" with the activation {module.phi.name}" if isinstance(module, Dense) else "")
    )


def _affine(W: torch.Tensor, b: torch.Tensor | None) -> AffineMap:
    W = W.detach()
    return AffineMap(W, W.new_zeros(len(W)) if b is None else b.detach())
