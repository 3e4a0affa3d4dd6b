r"""The tangent kernel of a network of finite width.

.. math:: \Theta_{op}(x, x') = \langle\nabla_\theta f_o(x), \nabla_\theta f_p(x')\rangle

over the trainable parameters, at their present values, for any module. Gradients are never written
down where a layer's structure allows: linear layers, convolutions, embeddings and norms are
contracted from what they receive and from the gradients of what they give; parameters used twice
are summed before the product; all other parameters are differentiated one sample at a time. Where
outputs do not meet (trace, diagonal) they are taken a few at a time, so that memory does not grow
with their number.

:source: Jacot, Gabriel and Hongler (2018), "Neural tangent kernel: convergence and generalization
    in neural networks"; Novak, Sohl-Dickstein and Schoenholz (2022), "Fast finite width neural
    tangent kernel"; Lucchi (2025), Foundations of Deep Learning, Section 7.3.
"""

from collections.abc import Iterator
from typing import Literal

from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from corollary.errors import InputError
from corollary.theory.kernels.empirical.blocks import Block
from corollary.theory.kernels.empirical.contraction import Mode, Products
from corollary.theory.kernels.empirical.features import Gradients
from corollary.theory.kernels.empirical.samples import Inputs, Read, count, rows
from corollary.theory.modules.keeping import kept

MEMORY = 2**29  # bytes


def empirical_ntk(
    model: nn.Module,
    x: Inputs,
    y: Inputs | None = None,
    *,
    mode: Mode = "trace",
    outputs: int | list[int] | tuple[int, ...] | None = None,
    read: Read | None = None,
    memory: int = MEMORY,
    method: Literal["auto", "jacobian"] = "auto",
) -> Tensor:
    r"""The tangent kernel of two sets of inputs.

    The module is run in evaluation mode and given back unchanged. Time for a linear layer from a
    to b numbers: :math:`O(nm(a + c^2b))` in full, :math:`O(nm(a + cb))` for the trace.

    Args:
        model: Any module; frozen parameters do not count.
        x: Inputs: a tensor, a tuple of tensors, or a dict of tensors by name.
        y: A second set; None means x again and costs half.
        mode: ``full`` gives (n, m, c, c), ``diagonal`` its (n, m, c) with equal outputs, ``trace``
            the sum of those, (n, m).
        outputs: Which outputs of the flattened output vector count; None means all.
        read: From what the module returns (a tuple, a dict) to a tensor.
        memory: Bytes that the factors of two blocks of samples may take; more samples are done in
            blocks, of any size.
        method: ``jacobian`` writes all gradients down, one sample at a time: slow, for control.

    Example:
        >>> import torch
        >>> layer = nn.Linear(2, 1)
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> empirical_ntk(layer, x).tolist()  # x xᵀ, and 1 for the bias
        [[6.0, 12.0], [12.0, 26.0]]

    :covers: linearized-network
    :erratum: [possible OCR artefact] In the notes' computation of the linearised kernel the second
        gradient is shown at x; it must be at x'.
    """
    parts = _layerwise(model, x, y, mode, outputs, read, memory, method, merge=True)
    return parts[""]


def layerwise_ntk(
    model: nn.Module,
    x: Inputs,
    y: Inputs | None = None,
    *,
    mode: Mode = "trace",
    outputs: int | list[int] | tuple[int, ...] | None = None,
    read: Read | None = None,
    memory: int = MEMORY,
) -> dict[str, Tensor]:
    """The share of each layer, by the layer's path; they add up to :func:`empirical_ntk`.

    A parameter used by several layers counts for the first of them.

    Example:
        >>> import torch
        >>> net = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))
        >>> for p, value in zip(net.parameters(), (2.0, 3.0)):
        ...     _ = nn.init.constant_(p, value)
        >>> {k: v.item() for k, v in layerwise_ntk(net, torch.ones(1, 1)).items()}
        {'0': 9.0, '1': 4.0}
    """
    return _layerwise(model, x, y, mode, outputs, read, memory, "auto", merge=False)


def _layerwise(
    model: nn.Module,
    x: Inputs,
    y: Inputs | None,
    mode: Mode,
    outputs: int | list[int] | tuple[int, ...] | None,
    read: Read | None,
    memory: int,
    method: str,
    *,
    merge: bool,
) -> dict[str, Tensor]:
    if mode not in ("full", "diagonal", "trace"):
        raise InputError(f"mode must be full, diagonal or trace, got '{mode}'")
    n, m = count(x), count(x if y is None else y)
    with kept(model, read_only=True), sdpa_kernel(SDPBackend.MATH):
        model.eval()
        probe = x if y is None or n > 1 else y
        gradients = Gradients(model, probe, read, outputs, structured=method == "auto")
        each = gradients.bytes_per_sample(all_outputs=mode == "full")
        side = max(1, memory // (2 * each))
        out: dict[str, Tensor] = {}
        for rs, cs, left, right in _blocks(gradients, x, y, n, m, side):
            for key, block in _products(left, right, mode, merge).items():
                _place(out, key, block, rs, cs, (n, m), mirrored=y is None and rs != cs)
    return out


def _blocks(
    gradients: Gradients, x: Inputs, y: Inputs | None, n: int, m: int, side: int
) -> Iterator[tuple[slice, slice, Block, Block]]:
    """Pairs of blocks of samples."""
    for i in range(0, n, side):
        rs = slice(i, min(i + side, n))
        left = gradients.of(rows(x, rs))
        for j in range(i if y is None else 0, m, side):
            cs = slice(j, min(j + side, m))
            same = y is None and i == j
            right = left if same else gradients.of(rows(x if y is None else y, cs))
            yield rs, cs, left, right


def _products(left: Block, right: Block, mode: Mode, merge: bool) -> dict[str, Tensor]:
    sums: dict[str, Products] = {}
    everything, symmetric = left.outputs, left is right

    def total(path: str) -> Products:
        key = "" if merge else path
        if key not in sums:
            shape = (everything.stop, left.n, right.n)
            sums[key] = Products(mode, *shape, left.tape.f, symmetric=symmetric)
        return sums[key]

    for outputs in [everything] if mode == "full" else left.turns(everything):
        other = None if symmetric else right.factors(outputs)
        for layer, path, x in left.factors(outputs):
            total(path).add(layer, outputs, x, x if other is None else next(other)[2])
    for k, (path, x) in enumerate(left.loose):
        total(path).add(-1 - k, everything, x, right.loose[k][1])
    return {key: products.result() for key, products in sums.items()}


def _place(
    out: dict[str, Tensor],
    key: str,
    block: Tensor,
    rs: slice,
    cs: slice,
    shape: tuple[int, int],
    *,
    mirrored: bool,
) -> None:
    if block.shape[:2] == shape:
        out[key] = block
        return
    if key not in out:
        out[key] = block.new_zeros(*shape, *block.shape[2:])
    out[key][rs, cs] = block
    if mirrored:
        swapped = block.transpose(0, 1)
        out[key][cs, rs] = swapped.mT if block.dim() == 4 else swapped
