r"""Margins.

The exam measures how far an input has to move until its answer changes. The margin :math:`m_i` is
the score of the label minus the best other score, and to first order the input must move by
:math:`m_i/\|\nabla_xm_i\|` to make it zero. No classifier that is right on all samples can have a
larger distance than half the distance to the nearest sample of another class. The distance is
therefore given as a fraction of that, which does not depend on the scale of weights or inputs. If
the slopes of the layers are known, :math:`m_i/(\sqrt2\prod_ls_l)` is a proved radius, and is shown
too.

:source: Bartlett, Foster and Telgarsky (2017), "Spectrally-normalized margin bounds for neural
    networks"; Elsayed, Krishnan, Mobahi, Regan and Bengio (2018), "Large margin deep networks for
    classification"; Lucchi (2025), Foundations of Deep Learning, Section 12.1.
:kind: exam
:claims: linear_flip, growing_margin
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Batch, Budget, Exam, Figure, Finding, Histogram, Subject
from corollary.errors import NotApplicableError
from corollary.exams.chains import chain_of, lipschitz_constants
from corollary.exams.labelled_scores import margins_of, scores_of
from corollary.exams.landscapes import affordable
from corollary.exams.readings import between
from corollary.exams.trials import LEARNED

SAMPLES = 256
FEW = 8  # samples below which no distribution is shown


class Margins(Exam):
    """Distance to the decision boundary, relative to the nearest sample of another class."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The median over the samples, with the middle half as its interval."""
        batch = subject.labelled(affordable(subject, budget, 4.0, SAMPLES))
        with subject.borrowed():
            margins, slopes = _margins(subject, batch)
            proven = _proven(subject, batch)
        right = (margins > 0) & (slopes > 0)
        room = _nearest_other(batch) / 2
        known = float((margins <= 0).cpu().double().mean()) < LEARNED * _chance(batch)
        if int(right.sum()) < FEW or not known:
            raise NotApplicableError(
                f"only {int(right.sum())} of {batch.size} samples are classified correctly; "
                "train the network before examining its margins"
            )
        share = (margins / slopes / room)[right]
        low, middle, high = (float(share.quantile(q)) for q in (0.25, 0.5, 0.75))
        sure = 100 * float((margins / room)[right].quantile(0.5)) / proven if proven else 0.0
        said = (
            (f". For the median sample, the norms of the layers prove a distance of {sure:.2g} %")
            if sure
            else ""
        )
        yield self.finding(
            "Distance to the decision boundary",
            value=between(100 * middle, 100 * low, 100 * high),
            unit="% of half the distance to the nearest sample of another class",
            expected="up to about 100 % for samples that lie close to another class",
            meaning=f"To first order, the distances of half of the {int(right.sum())} correctly "
            f"classified samples lie in this range{said}.",
            claims=("linear_flip",),
            figures=(_figure(share),),
            details={"right": int(right.sum()), "slope_by_norms": proven},
        )


def _margins(subject: Subject, batch: Batch) -> tuple[Tensor, Tensor]:
    """Margins, and the lengths of their gradients with respect to the inputs."""
    tensors = batch.tensors()
    floats = [t.detach().clone().requires_grad_(True) if _real(t) else t for t in tensors]
    leaves = [t for t in floats if t.requires_grad]
    if not leaves:
        raise NotApplicableError(
            "no input has floating-point values, so no input can be changed by a small amount"
        )
    scores, labels = scores_of(subject, batch.with_inputs(*floats))
    margins = margins_of(scores, labels)
    if not margins.requires_grad:
        raise NotApplicableError("the output is not differentiable with respect to the inputs")
    slopes = torch.autograd.grad(margins.sum(), leaves, allow_unused=True, materialize_grads=True)
    lengths = torch.cat([g.cpu().double().reshape(len(g), -1) for g in slopes], dim=1).norm(dim=1)
    return margins.detach().cpu().double(), lengths


def _nearest_other(batch: Batch) -> Tensor:
    """Distance from each sample to the nearest sample with another label."""
    floats = [t.detach().cpu().double() for t in batch.tensors() if _real(t)]
    x = torch.cat([t.reshape(len(t), -1) for t in floats], dim=1)
    y = batch.target.reshape(-1).cpu()
    apart = torch.cdist(x, x).masked_fill(y[:, None] == y, torch.inf)
    nearest = apart.amin(dim=1)
    if not bool(torch.isfinite(nearest).all()):
        raise NotApplicableError("all samples have the same label")
    return nearest.clamp(min=1e-12)


def _chance(batch: Batch) -> float:
    """The share of errors of the best constant answer."""
    return 1 - float(batch.target.unique(return_counts=True)[1].max()) / batch.size


def _proven(subject: Subject, batch: Batch) -> float | None:
    """A bound on the slope of every margin, for a network that is a chain of known layers."""
    try:
        chain = chain_of(subject, batch.first(2))
        product = math.prod(s for _, s in lipschitz_constants(chain, subject.seed))
    except NotApplicableError:
        return None
    one_score = batch.size > 0 and chain[-1].y.numel() == 1
    return product * (1.0 if one_score else math.sqrt(2)) or None


def _real(t: Tensor) -> bool:
    return t.is_floating_point()


def _figure(share: Tensor) -> Figure:
    clipped = share.clamp(max=float(share.quantile(0.98)))
    mark = Histogram((100 * clipped).tolist(), label="samples answered correctly", bins=24)
    return Figure(
        "Distance to the decision boundary",
        x="% of half the distance to another class",
        y="density",
        marks=(mark,),
    )
