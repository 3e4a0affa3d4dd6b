r"""Square roots of the loss's Hessian with respect to the output, example by example."""

import torch
from torch import Tensor

from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature.batches import Batch
from corollary.theory.landscape.curvature.fisher import example_losses
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.precision import wide


def loss_roots(
    landscape: Landscape, z: Tensor, batch: Batch, *, empirical: bool = False
) -> list[Tensor]:
    r"""Tensors :math:`s_c` shaped like the output z with :math:`S_i = \sum_c s_{ic} s_{ic}^\top`.

    With ``empirical`` the gradient of each example's loss alone. Costs as many backward
    passes through the loss as an example has outputs, and their eigenvectors.

    Example:
        >>> model = torch.nn.Linear(1, 1)
        >>> landscape = Landscape(model, torch.nn.MSELoss(), (torch.ones(2, 1), torch.zeros(2, 1)))
        >>> (batch,) = landscape.batches()
        >>> (s,) = loss_roots(landscape, torch.ones(2, 1), batch)
        >>> s.square().round(decimals=4).tolist()  # the second derivative of (f - y)^2
        [[2.0], [2.0]]
    """
    leaf = z.detach().requires_grad_()
    losses = example_losses(landscape, leaf, batch)
    check_additive(landscape, losses.detach(), leaf.detach(), batch)
    (slope,) = torch.autograd.grad(losses.sum(), leaf, create_graph=True)
    if empirical:
        return [slope.detach()]
    if not slope.requires_grad:  # a loss that is linear in the output
        return []
    columns = slope.flatten(1).sum(0)
    S = torch.stack(
        [torch.autograd.grad(c, leaf, retain_graph=True)[0].flatten(1) for c in columns], dim=2
    )
    values, vectors = torch.linalg.eigh(wide(S + S.mT) / 2)
    scale, eps = float(values.abs().max()), torch.finfo(z.dtype).eps
    if float(values.min()) < -100 * eps * scale * S.shape[1]:
        raise NotApplicableError(
            "Kronecker factors need a loss that is convex in the output, but the Hessian of "
            f"the loss has an eigenvalue {float(values.min()):.3g}; use kind='empirical' or "
            "gauss_newton"
        )
    roots = (vectors * values.clamp(min=0).sqrt()[:, None, :]).to(z)
    used = values.amax(0) > 10 * eps * scale
    return [roots[:, :, c].reshape(z.shape) for c in used.nonzero().flatten().tolist()]


def check_additive(landscape: Landscape, losses: Tensor, z: Tensor, batch: Batch) -> None:
    """Refuse a loss that is not the mean or sum of its examples' losses."""
    whole = landscape.of_output(z, batch).detach()
    eps = torch.finfo(whole.dtype).eps
    if bool((whole - losses.sum()).abs() > 1e3 * eps * losses.abs().sum() + eps):
        raise NotApplicableError(
            "Kronecker factors need a loss that is the mean (or sum) over the examples, but "
            f"on a batch of {batch.size} the loss is {float(whole):.6g} and the examples one "
            f"by one give {float(losses.sum()):.6g}; class weights and ignored targets have "
            "this effect"
        )
