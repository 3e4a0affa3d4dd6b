"""Which token each position of a sequence has to predict, judged by targets and loss.

A language model has to predict the next token. Either the data set shifts the targets by one, or
the loss compares each output with the target of the next position. If both do it, a token is
skipped; if neither does, the target is the input token itself. To find out what the loss does, the
targets of one position are changed, and the outputs whose gradients change are recorded.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.core import Batch, Subject
from corollary.errors import CorollaryError
from corollary.exams.class_targets import classes_last
from corollary.exams.loss_shares import ignored_classes

FARTHEST = 3  # places that targets are looked for ahead or behind
SAME = 0.99  # of the tokens: targets that are the inputs, but for an odd one at a seam
SHORTEST = 6  # places
REFUSED = (CorollaryError, RuntimeError, ValueError, IndexError, TypeError)


def asked_offset(subject: Subject, batch: Batch) -> int | None:
    """How many positions ahead the token to predict is; None if the target is not a token.

    To be called inside ``subject.borrowed()``.
    """
    x, y = _tokens(batch), batch.target
    if "labels" in batch.named and isinstance(batch.named["labels"], Tensor):
        y = batch.named["labels"]
    if x is None or not isinstance(y, Tensor) or y.is_floating_point() or y.shape != x.shape:
        return None
    ahead = _ahead(x, y)
    if ahead is None:
        return None
    raw = subject.call(batch)
    shift = loss_shift(subject, raw, batch)
    return None if shift is None else ahead + shift


def loss_shift(subject: Subject, raw: object, batch: Batch) -> int | None:
    """How many positions ahead the target of an output lies; None if it is not known."""
    output, y = subject.pick(raw), batch.target
    if isinstance(batch.named.get("labels"), Tensor):
        y = batch.named["labels"]
        return _shift_of_own_loss(subject, raw, y)
    if not isinstance(y, Tensor) or y.is_floating_point() or y.dim() != 2:
        return None
    if output.dim() != 3 or y.shape[1] < SHORTEST or len(output) != len(y):
        return None
    logits = output.detach().clone().requires_grad_(True)
    last = classes_last(subject, logits, y)
    if last.shape[:2] != y.shape:
        return None
    at, k = y.shape[1] // 2, last.shape[-1]
    other = y.clone()
    other[:, at] = _another(y[:, at], k, ignored_classes(subject))
    try:
        slopes = [torch.autograd.grad(subject.loss_of(logits, t), logits)[0] for t in (y, other)]
    except REFUSED:
        return None
    differs = classes_last(subject, (slopes[0] - slopes[1]).abs(), y).amax((0, 2))
    places = (differs > 1e-3 * float(differs.max())).nonzero()[:, 0]
    return at - int(places[0]) if len(places) == 1 and float(differs.max()) > 0 else None


def _another(y: Tensor, k: int, ignored: tuple[int, ...]) -> Tensor:
    """Another class for each label that is not ignored.

    The number of ignored labels stays the same.
    """
    counted = [c for c in range(k) if c not in ignored]
    following = torch.arange(k)
    following[counted] = torch.tensor([*counted[1:], *counted[:1]])
    return torch.where(y >= 0, following.to(y.device)[y.clamp(min=0)], y)


def _shift_of_own_loss(subject: Subject, raw: object, y: Tensor) -> int | None:
    """The same for a loss that the module computes itself; the two usual shifts are tried."""
    own = raw.get("loss") if hasattr(raw, "get") else None
    output = subject.pick(raw)
    if not isinstance(own, Tensor) or output.dim() != 3 or output.shape[:2] != y.shape:
        return None
    for shift in (1, 0):
        kept = y.shape[1] - shift
        logits, labels = output[:, :kept].flatten(0, 1), y[:, shift:].flatten()
        if torch.isclose(F.cross_entropy(logits, labels), own, rtol=1e-3):
            return shift
    return None


def _tokens(batch: Batch) -> Tensor | None:
    """The input that holds token ids, if there is one."""
    for t in (*batch.inputs, batch.named.get("input_ids")):
        if isinstance(t, Tensor) and t.dim() == 2 and not t.is_floating_point():
            return t if t.shape[1] >= SHORTEST and t.dtype is not torch.bool else None
    return None


def _ahead(x: Tensor, y: Tensor) -> int | None:
    """The distance between a target and the same token in the input, if it is unique."""
    length = x.shape[1]
    found = []
    for ahead in range(-FARTHEST, FARTHEST + 1):
        low, high = max(0, -ahead), length - max(0, ahead)
        targets, tokens = y[:, low:high], x[:, low + ahead : high + ahead]
        known = targets >= 0
        same = float((targets == tokens)[known].cpu().double().mean()) if bool(known.any()) else 0.0
        if same >= SAME and len(targets[known].unique()) > 2:
            found.append(ahead)
    return found[0] if len(found) == 1 else None
