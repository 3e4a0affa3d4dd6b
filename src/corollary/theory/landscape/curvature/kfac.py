r"""Kronecker-factored curvature: KFAC, and EKFAC with corrected eigenvalues.

For a layer :math:`z_t = W a_t` and a square root :math:`S_i = \sum_c s_{ic} s_{ic}^\top` of the
loss's Hessian at output i, the layer's block of the Gauss-Newton matrix is the second moment of
:math:`\sum_t g_{ict} a_{it}^\top`, where :math:`g_{ict}` is :math:`s_{ic}` carried back to
:math:`z_t`. With R positions, KFAC takes

.. math:: A = \frac{1}{nR} \sum_{i,t} a_{it} a_{it}^\top, \qquad
          B = \frac1n \sum_{i,c,t} g_{ict} g_{ict}^\top, \qquad G_W \approx A \otimes B

(``expand``), or the mean of :math:`a_{it}` and the sum of :math:`g_{ict}` over t in place of
either (``reduce``). For one position this is exact if there is one example, or if :math:`g_{ic}`
is the same for all examples (a deep linear network with squared loss); ``reduce`` is exact for a
single example also when the positions of a linear layer are averaged. EKFAC keeps the
eigenvectors of :math:`A \otimes B` and takes as eigenvalues the second moments along them,

.. math:: M_{kl} = \frac1n \sum_{i,c} \Bigl(Q_B^\top \sum_t g_{ict} a_{it}^\top\, Q_A\Bigr)_{kl}^2,

which makes the trace that of the blocks of :math:`G`, and the Frobenius distance to them smaller.
The empirical kind has the one vector :math:`s_i = \nabla_f \ell(f(x_i), y_i)`, the sampled kind
such gradients at labels drawn from the model, and the forward-only kind takes the identity for B.

An embedding is a linear layer on unit vectors: A is diagonal with the tokens' frequencies, and the
table is never multiplied by a matrix of its own size (``reduce`` has a full A, for small tables
alone). Attention has a block for queries, keys, values and outputs each; ``reduce`` gives keys no
curvature, because their gradients sum to 0 over positions. The scale and shift of a layer
normalisation are as many as its outputs; their block is the exact one.

:source: Martens and Grosse (2015), "Optimizing neural networks with Kronecker-factored
    approximate curvature"; Grosse and Martens (2016), "A Kronecker-factored approximate Fisher
    matrix for convolution layers"; Eschenhagen, Immer, Turner, Schneider and Hennig (2023),
    "Kronecker-factored approximate curvature for modern neural network architectures"; George,
    Laurent, Bouthillier, Ballas and Vincent (2018), "Fast approximate natural gradient descent in
    a Kronecker-factored eigenbasis"; Benzing (2022), "Gradient descent on neurons and its link to
    approximate second-order optimization" (the identity for B); Osawa, Tsuji, Ueno, Naruse,
    Foo and Yokota (2020), "Scalable and practical natural gradient for large-scale deep learning"
    (exact blocks for normalisation, there unit by unit).
"""

from torch import Generator

from corollary.errors import InputError
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.factors import Factors, Kind
from corollary.theory.landscape.curvature.kronecker import Kronecker
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.layers import shared
from corollary.theory.landscape.curvature.moments import Sharing
from corollary.theory.seeding import as_generator

KINDS = ("gauss_newton", "sampled", "empirical", "forward_only")


@of_model
def kfac(
    landscape: Landscape,
    kind: Kind = "gauss_newton",
    *,
    sharing: Sharing = "expand",
    corrected: bool = False,
    joint: bool = True,
    samples: int = 1,
    rng: int | Generator = 0,
) -> Kronecker:
    r"""A block-diagonal approximation of the Gauss-Newton or Fisher matrix that can be inverted.

    For c outputs it takes one forward and c backward passes over the data (one for the empirical
    kind, ``samples`` for the sampled one, none for the forward-only one), twice if corrected, and
    :math:`O(d_{in}^3 + d_{out}^3)` for a layer's eigenvectors; then
    :math:`O(d_{in} d_{out} (d_{in} + d_{out}))` a product. It is computed once, at the present
    parameters. Large batches are cut, and the graph of a piece is freed before the next is made.

    Args:
        landscape: All its parameters belong to ``nn.Linear``, ``nn.Conv1d``, ``nn.Conv2d``,
            ``nn.Embedding``, ``nn.LayerNorm``, ``nn.RMSNorm`` or ``nn.MultiheadAttention`` layers
            (or to the ``Conv1D`` of Hugging Face's transformers); leave others out with its
            ``parameters=``. Its loss treats examples one by one and is convex in the output. So
            must the module: batch normalisation in training mode, which couples examples, is
            refused.
        kind: ``gauss_newton`` (for cross-entropy, logistic and squared loss the true Fisher
            matrix), from the exact Hessian of the loss; ``sampled``, the same in expectation for
            these three losses, for outputs too many for a backward pass each; ``empirical``; or
            ``forward_only``.
        sharing: What to do with weights used at several positions.
        corrected: Whether to correct the eigenvalues (EKFAC).
        joint: Whether a layer's weight and bias make one block.
        samples: Labels drawn for each example, for the sampled kind; the correction draws others.
        rng: Of the labels.

    Example:
        >>> import torch
        >>> model = torch.nn.Linear(2, 1, bias=False)
        >>> data = torch.tensor([[1.0, 0.0], [0.0, 3.0]]), torch.zeros(2, 1)
        >>> K = kfac(Landscape(model, torch.nn.MSELoss(), data))
        >>> print((K @ torch.ones(2)).round(decimals=4))  # diag(1, 9) = (2/n) x^T x, exactly
        tensor([1., 9.])
        >>> print((K.inverse(1.0) @ torch.ones(2)).round(decimals=4))
        tensor([0.5000, 0.1000])
    """
    if kind not in KINDS:
        raise InputError(f"kind must be one of {', '.join(KINDS)}, got '{kind}'")
    if sharing not in ("expand", "reduce"):
        raise InputError(f"sharing must be expand or reduce, got '{sharing}'")
    if samples < 1 or (samples > 1 and kind != "sampled"):
        raise InputError(
            f"samples must be 1, or at least 1 with kind='sampled', got {samples} with "
            f"kind='{kind}'"
        )
    if corrected and kind == "forward_only":
        raise InputError(
            "factors with forward_only have no gradients, so their eigenvalues cannot be corrected"
        )
    groups = shared(landscape, joint=joint)
    made = Factors(landscape, groups, kind, sharing, samples, as_generator(rng))
    name = "EKFAC" if corrected else "KFAC"
    path = f"{name}-{sharing}, {kind.replace('_', '-')} factors of {len(groups)} blocks"
    blocks = made.blocks()
    if corrected:
        blocks = made.corrected(blocks)
    return Kronecker(
        blocks, landscape.size, landscape.dtype, landscape.device, path, factored=not corrected
    )
