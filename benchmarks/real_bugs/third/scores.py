"""Ways to tell how well the networks of the third part do; more is better."""

import torch
from torch import Tensor, nn


def one_by_one(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of right answers when every sample is asked alone."""
    answer = torch.cat([model(x[k : k + 1]) for k in range(len(x))]).argmax(-1)
    return float((answer == y).float().mean())


def centre_explained(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of the variance of the first two targets that is explained."""
    error = (model(x)[:, :2] - y[:, :2]).square().mean()
    return float(1 - error / y[:, :2].var(0).mean())


def place_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of places that get their class."""
    asked = y >= 0
    return float((model(x).argmax(-1) == y)[asked].float().mean())


def cosine(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Mean cosine between the direction predicted and the true one."""
    return float(nn.functional.cosine_similarity(model(x), y).mean())


def order_kept(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Correlation of the ranks of outputs and targets, of the target that does worst."""
    out = model(x)
    if not bool(out.isfinite().all()):
        return -float("inf")
    ranks = (
        torch.stack([t.argsort().argsort() for t in pair]) for pair in zip(out.T, y.T, strict=True)
    )
    return min(float(r.float().corrcoef()[0, 1]) for r in ranks)
