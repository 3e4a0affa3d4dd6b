"""The perceptron's inner loop, twice: compiled by numba, and in torch.

Both take the signed points ``z_i = y_i x_i`` and update ``w += z_i`` whenever ``<w, z_i> <= 0``.
Between two mistakes the weights stand still, so a block of points is scored at once and the loop
jumps to the first mistake in it: the mistakes are exactly those of the rule that looks at one
point after the other. Both return the weights, the point of each mistake, how many points had been
shown by then, the passes begun, and whether the last pass was clean.
"""

import numpy as np
import torch
from torch import Tensor

from corollary.theory.prerequisites.wellformed import check_at_least

BLOCK = 64  # rows a compiled product scores at once: long enough to hide the call
SMALLEST_BLOCK, LARGEST_BLOCK = 32, 4096  # in torch, where a call costs more than a short product


def compiled_jumps(
    z: np.ndarray, max_updates: int, max_epochs: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, bool]:
    """The loop on NumPy arrays; to be compiled."""
    n, d = z.shape
    w = np.zeros(d, z.dtype)
    scores = np.empty(BLOCK, z.dtype)
    mistakes = np.empty(1024, np.int64)
    shown = np.empty(1024, np.int64)
    t, epoch, clean = 0, 0, False
    while not clean and epoch < max_epochs and t < max_updates:
        epoch += 1
        clean = True
        i = 0
        while i < n and t < max_updates:
            block = min(BLOCK, n - i)
            np.dot(z[i : i + block], w, scores[:block])
            first = 0
            while first < block and scores[first] > 0:
                first += 1
            i += first
            if first == block:
                continue
            clean = False
            if t == len(mistakes):
                mistakes = np.concatenate((mistakes, np.empty(t, np.int64)))
                shown = np.concatenate((shown, np.empty(t, np.int64)))
            for j in range(d):
                w[j] += z[i, j]
            mistakes[t] = i
            i += 1
            shown[t] = (epoch - 1) * n + i
            t += 1
    return w, mistakes[:t].copy(), shown[:t].copy(), epoch, clean


def torch_jumps(
    z: Tensor, max_updates: int, max_epochs: int
) -> tuple[Tensor, Tensor, Tensor, int, bool]:
    """The same loop on tensors of any device; a block is twice the gap between recent mistakes."""
    check_at_least("max_updates", max_updates, 0)
    check_at_least("max_epochs", max_epochs, 0)
    n, d = z.shape
    w = z.new_zeros(d)
    mistakes: list[int] = []
    shown: list[int] = []
    epoch, clean, gap, since = 0, False, SMALLEST_BLOCK, 0
    while not clean and epoch < max_epochs and len(mistakes) < max_updates:
        epoch, clean, i = epoch + 1, True, 0
        block = SMALLEST_BLOCK
        while i < n and len(mistakes) < max_updates:
            right = torch.mv(z[i : i + block], w) > 0  # not a number is not right
            wrong = (~right).nonzero()
            if len(wrong) == 0:
                since, i = since + min(block, n - i), i + block
                block = min(2 * block, LARGEST_BLOCK)
                continue
            first = int(wrong[0])
            gap, since = (3 * gap + since + first) // 4, 0
            clean, i, block = False, i + first + 1, min(max(2 * gap, SMALLEST_BLOCK), LARGEST_BLOCK)
            w += z[i - 1]
            mistakes.append(i - 1)
            shown.append((epoch - 1) * n + i)
    return w, torch.tensor(mistakes).long(), torch.tensor(shown).long(), epoch, clean
