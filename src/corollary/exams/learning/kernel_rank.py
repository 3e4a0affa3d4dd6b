r"""Effective rank of the kernel.

The tangent kernel's participation ratio :math:`(\operatorname{tr}K)^2/\operatorname{tr}K^2` counts
the directions in which gradient descent can move the outputs on the samples. If the ratio is near
one, all samples move together, and the differences between them are learned last. Inputs that are
not centred or a collapsed network have this effect.

:source: Roy and Vetterli (2007), "The effective rank"; Jacot, Gabriel and Hongler (2018), "Neural
    tangent kernel", Section 5, on convergence along the kernel's principal components.
:kind: exam
:cost: seconds
"""

from collections.abc import Iterator

from corollary.core import Batch, Budget, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import affordable, outputs_of, tangent_kernel
from corollary.exams.readings import rounded
from corollary.exams.scales import float_inputs, scale_of
from corollary.theory.kernels.empirical import effective_rank

SAMPLES = 48
# Standardised tables, images in [0, 1] and token sequences give 1.5 to 20 on 48 samples, at the
# start, of networks with two to ten layers.
FEW = 1.1


class KernelRank(Exam):
    """Directions of the tangent kernel on a probe of samples."""

    share = 2.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding: the effective rank."""
        batch = subject.data(affordable(subject, budget, outputs_of(subject), SAMPLES))
        if batch.size < 8:
            raise NotApplicableError(f"this exam needs at least 8 samples, got {batch.size}")
        inputs = batch.named or (batch.inputs[0] if len(batch.inputs) == 1 else batch.inputs)
        with subject.borrowed() as model:
            kernel = tangent_kernel(subject, model, inputs)
        if not bool((kernel.diagonal() > 0).any()):
            raise NotApplicableError(
                "the outputs do not depend on any parameter, so the tangent kernel is zero"
            )
        rank = effective_rank(kernel)
        collapsed = rank < FEW
        yield self.finding(
            "The tangent kernel has one direction only"
            if collapsed
            else "Effective rank of the tangent kernel",
            severity=Severity.MEDIUM if collapsed else Severity.NONE,
            remedy=_remedy(batch),
            quantity="effective rank",
            value=rounded(rank, 3 if rank < 2 else 2),
            unit=f"of {batch.size}",
            expected=f"above {FEW:g}",
            meaning="A training step moves all outputs together. Differences between samples "
            "are learned last."
            if collapsed
            else "A training step can move the outputs of different samples apart.",
            advice=_advice(batch) if collapsed else "",
        )


def _remedy(batch: Batch) -> str:
    """The remedy: standardise inputs of an extreme scale, otherwise draw new weights."""
    wild = any(not scale_of(x).healthy for x in float_inputs(batch).values())
    return "standardised inputs" if wild else "fresh start"


def _advice(batch: Batch) -> str:
    if any(t.is_floating_point() for t in batch.tensors()):
        return (
            "Centre the inputs. If they are centred already, add normalisation or use fewer layers."
        )
    return "Start with larger weights, add normalisation layers, or use fewer layers."
