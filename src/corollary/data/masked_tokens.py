r"""Masked language modelling: hide some tokens, ask for them.

Of all tokens 15% are selected; of these 80% become ``[MASK]``, 10% a random token, 10% stay as they
are. The loss is the cross entropy at the selected positions only: labels are -100 elsewhere, which
torch's cross entropy leaves out.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Section 3.1.
:covers: masked-language-modeling
"""

from collections.abc import Sequence

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator

IGNORED = -100
SHARES = (0.8, 0.1, 0.1)  # of the selected tokens: masked, replaced at random, left


def mlm_corrupt(
    ids: Int[Tensor, "*n"],
    *,
    vocab_size: int,
    mask_id: int,
    special_ids: Sequence[int] = (),
    p: float | int = 0.15,
    shares: tuple[float | int, float | int, float | int] = SHARES,
    rng: int | Generator = 0,
) -> tuple[Int[Tensor, "*n"], Int[Tensor, "*n"]]:
    """The corrupted ids and the labels.

    Args:
        ids: Token ids, of any shape.
        vocab_size: Number of tokens; random ones are drawn among those that are not special.
        mask_id: The id of ``[MASK]``.
        special_ids: Ids that are never selected, such as ``[CLS]``, ``[SEP]`` and padding.
        p: Probability that a token is selected.
        shares: Of the selected: masked, replaced, left.
        rng: Draws the choice.

    Example:
        >>> ids = torch.tensor([2, 7, 8, 3])
        >>> mlm_corrupt(ids, vocab_size=9, mask_id=4, special_ids=[2, 3], p=1, shares=(1, 0, 0),
        ...             rng=torch.Generator())
        (tensor([2, 4, 4, 3]), tensor([-100,    7,    8, -100]))
    """
    rng = as_generator(rng)
    if not 0 <= p <= 1 or min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
        raise InputError(f"expected p in [0, 1] and shares that sum to 1, got {p=}, {shares=}")
    special = torch.tensor(sorted({*special_ids, mask_id}), device=ids.device)
    ordinary = torch.ones(vocab_size, dtype=torch.bool, device=ids.device)
    ordinary[special] = False
    pool = ordinary.nonzero().flatten()
    if len(pool) == 0:
        raise InputError(
            f"all {vocab_size} tokens are special, so there is no token to replace with"
        )

    def uniform() -> Tensor:
        draw = torch.rand(ids.shape, generator=rng, device=rng.device, dtype=torch.float64)
        return draw.to(ids.device)

    selected = (uniform() < p) & ~torch.isin(ids, special)
    fate = uniform()
    drawn = pool[(uniform() * len(pool)).long().clamp(max=len(pool) - 1)]
    inputs = torch.where(selected & (fate < shares[0] + shares[1]), drawn, ids)
    inputs = torch.where(selected & (fate < shares[0]), mask_id, inputs)
    return inputs, torch.where(selected, ids, IGNORED)
