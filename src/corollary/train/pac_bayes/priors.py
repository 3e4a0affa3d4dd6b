"""Priors that are valid: fixed before the data, or learned on samples that the bound leaves out."""

import copy
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn

from corollary.errors import InputError, InputTypeError
from corollary.train.pac_bayes.holdout import head
from corollary.train.trainer import fit

Pair = tuple[Tensor, Tensor]
Prior = nn.Module | Mapping[str, Tensor] | None


def learned_prior(
    model: nn.Module,
    centre: Mapping[str, Tensor] | None,
    data: Pair,
    share: float,
    steps: int,
    batch_size: int,
    seed: int,
) -> tuple[nn.Module, Pair]:
    """A network trained from the initialisation on the first rows, and the other rows."""
    x, y = data
    cut = round(share * len(x))
    if not 0 < cut < len(x):
        raise InputError(
            f"learn_prior must leave samples for both prior and posterior, got {share:g}"
        )
    if centre is None:
        raise InputError(
            "learn_prior needs prior=<the network before training>, because the weights of "
            "model were trained on all of the data"
        )
    start = copy.deepcopy(model).eval()
    with torch.no_grad():
        for name, p in start.named_parameters():
            if name in centre:
                p.copy_(centre[name])

    def loss(output: Tensor, y: Tensor) -> Tensor:
        scores, labels = head(output, y)
        if scores.dim() == 1:
            return nn.functional.softplus(-scores * labels).mean()
        return nn.functional.cross_entropy(scores, labels)

    def adam(p: Iterable[Tensor]) -> torch.optim.Optimizer:
        return torch.optim.Adam(p, lr=1e-3)

    seen, size = (x[:cut], y[:cut]), min(batch_size, cut)
    fit(start, seen, loss, adam, steps=steps, batch_size=size, rng=seed, train_mode=False)
    return start, (x[cut:], y[cut:])


def prior_means(model: nn.Module, prior: Prior) -> dict[str, Tensor] | None:
    """The prior's means, once it is sure that nothing else differs."""
    if isinstance(prior, nn.Module):
        prior = {**dict(prior.named_parameters()), **dict(prior.named_buffers())}
    if prior is not None and not isinstance(prior, Mapping):
        raise InputTypeError(f"prior must be a module or a dict, got {type(prior).__name__}")
    _check_statistics(model, prior or {})
    if prior is None:
        return None
    trainable = {k for k, p in model.named_parameters() if p.requires_grad}
    fixed = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    for name, value in fixed.items():
        if name in trainable or name.endswith("num_batches_tracked"):
            continue
        if name in prior and not torch.equal(prior[name].to(value), value):
            raise InputError(
                f"'{name}' differs between prior and model, and the posterior does not "
                "include it; certify a network whose normalisation statistics and frozen "
                "weights did not change"
            )
    return {k: prior[k].detach() for k in trainable if k in prior}


def _check_statistics(model: nn.Module, prior: Mapping[str, Tensor]) -> None:
    """Refuse running statistics that were learned, unless the prior is known to have the same."""
    for name, buffer in model.named_buffers():
        if not name.endswith("num_batches_tracked") or int(buffer) == 0:
            continue
        mean = name.replace("num_batches_tracked", "running_mean")
        if mean not in prior:
            raise InputError(
                f"'{mean}' was learned from {int(buffer)} batches, and the prior does not "
                "include it; certify a network without running statistics (LayerNorm, "
                "GroupNorm); if these statistics come from other data, pass prior=<a network "
                "with the same statistics>"
            )
