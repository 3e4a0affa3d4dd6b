r"""Effective rank of the kernel.

The tangent kernel's participation ratio :math:`(\operatorname{tr}K)^2/\operatorname{tr}K^2` counts
the directions in which gradient descent can move the outputs on the samples. Near one, all samples
move together, and what tells them apart is learned last: an offset of the inputs or a collapsed
network does that.

:source: Roy and Vetterli (2007), "The effective rank"; Jacot, Gabriel and Hongler (2018), "Neural
    tangent kernel", Section 5, on convergence along the kernel's principal components.
:kind: exam
:cost: seconds
"""

from collections.abc import Iterator

from corollary.core import Budget, Exam, Finding, Reading, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import tangent_kernel
from corollary.theory.kernels.empirical import effective_rank

SAMPLES = 48
# Standardised tables, images in [0, 1] and token sequences give 1.5 to 20 on 48 samples, at the
# start, of networks with two to ten layers.
FEW = 1.1


class KernelRank(Exam):
    """Directions of the tangent kernel on a probe of samples."""

    share = 2.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One number."""
        batch = subject.data(SAMPLES)
        if batch.size < 8:
            raise NotApplicableError("this needs at least eight samples")
        inputs = batch.named or (batch.inputs[0] if len(batch.inputs) == 1 else batch.inputs)
        with subject.borrowed() as model:
            kernel = tangent_kernel(subject, model, inputs)
        rank = effective_rank(kernel)
        collapsed = rank < FEW
        yield self.finding(
            "The kernel has one direction" if collapsed else "Effective rank of the kernel",
            severity=Severity.MEDIUM if collapsed else Severity.NONE,
            where="the tangent kernel",
            value=Reading(rank, rank, rank),
            unit=f"of {batch.size} directions",
            expected=f"above {FEW:g}",
            meaning="All samples move together; what tells them apart is learned last."
            if collapsed
            else "Gradient descent can move samples apart.",
            advice="Centre and scale the inputs, add normalisation, or use fewer layers."
            if collapsed
            else "",
        )
