"""One position through all blocks, with the weights copied after a few tokens."""

import pytest
import torch

from corollary.models.transformers.gpt import GPT
from corollary.models.transformers.one_position import PATIENCE, applies

# Sums of at most 32 terms of size 1 in another order, through two blocks.
EXACT = {torch.float64: {"atol": 1e-12, "rtol": 1e-12}, torch.float32: {"atol": 1e-4, "rtol": 1e-4}}


def gpt(**options) -> GPT:
    rng = torch.Generator().manual_seed(0)
    return GPT(7, 8, 2, 2, max_len=50, rng=rng, **options).eval()


@pytest.mark.parametrize("dtype", list(EXACT))
@pytest.mark.parametrize("norm", ["pre", "post", "none"])
@pytest.mark.parametrize("rows", [1, 3])
def test_each_layout_of_the_weights_gives_the_logits_of_the_whole(dtype, norm, rows):
    model = gpt(norm=norm, dtype=dtype)
    ids = torch.randint(0, 7, (rows, PATIENCE + 4), generator=torch.Generator().manual_seed(1))
    whole, reader = model(ids).log_softmax(dim=-1), model.next_token.reader()
    for t in range(ids.shape[1]):
        read = reader.read(ids[:, t : t + 1])
        torch.testing.assert_close(read, whole[:, t], **EXACT[dtype])
    layouts = {True: "columns", False: "blocks" if dtype == torch.float32 else "rows"}
    assert reader.steps[0].qkv.layout == layouts[rows == 1]


def test_what_is_read_can_enter_a_graph():
    reader, w = gpt().next_token.reader(), torch.ones(7, dtype=torch.float64, requires_grad=True)
    for _ in range(3):
        read = reader.read(torch.tensor([[2]]))
    (read * w).sum().backward()
    assert torch.equal(w.grad, read[0])


def test_beams_may_grow_and_shrink_after_weights_were_copied():
    model, reader = gpt(dtype=torch.float32), gpt(dtype=torch.float32).next_token.reader()
    ids = torch.randint(0, 7, (2, PATIENCE + 3), generator=torch.Generator().manual_seed(1))
    for t in range(PATIENCE + 2):
        reader.read(ids[:, t : t + 1])
    rows = torch.tensor([1, 0, 1])
    reader.keep(rows)
    ids = ids[rows]
    read = reader.read(ids[:, -1:])
    whole = model(ids).log_softmax(dim=-1)[:, -1]
    torch.testing.assert_close(read, whole, **EXACT[torch.float32])


def test_a_block_that_drops_or_is_watched_takes_the_long_way():
    model = gpt(dropout=0.5)
    block = model.blocks[0]
    assert applies(block)
    assert not applies(block.train())
    block.eval().attention.W_q.register_forward_hook(lambda *_: None)
    assert not applies(block)
