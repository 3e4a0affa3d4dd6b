"""Odd sequences: a right answer, or one clear sentence; and torch's own layers at odd shapes."""

import jaxtyping
import pytest
import torch
from torch import nn

from corollary.errors import InputError, InputTypeError
from corollary.models.attention.multi_head import MultiHeadAttention
from corollary.models.recurrent.cell import unroll
from corollary.models.recurrent.gru import GRUCell
from corollary.models.recurrent.lru import LRU
from corollary.models.recurrent.lstm import LSTMCell
from corollary.models.recurrent.seq2seq import Seq2Seq
from corollary.models.transformers.blocks import DecoderBlock, EncoderBlock
from corollary.models.transformers.gpt import GPT
from corollary.models.transformers.translation import Transformer

SHAPES = [(1, 1, 1), (1, 1, 7), (1, 5, 1), (3, 2, 9), (0, 4, 4)]  # batch, queries, keys
EXACT = {"atol": 1e-12, "rtol": 1e-10}


@pytest.fixture
def unchecked(monkeypatch):
    """Our own sentences, not those of the tests' check of shapes."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def drawn(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(*shape, generator=rng(seed), dtype=torch.float64)


def ids(*shape: int) -> torch.Tensor:
    return torch.zeros(*shape, dtype=torch.int64)


def gpt(**options) -> GPT:
    return GPT(7, 8, 2, 1, max_len=6, rng=rng(), **options).eval()


def translator(**options) -> Transformer:
    return Transformer(7, 7, d_model=8, rng=rng(), **options).eval()


@pytest.mark.parametrize(("b", "t", "s"), SHAPES)
@pytest.mark.parametrize("fused", [False, True])
def test_attention_is_torchs_at_odd_shapes_and_under_masks(b, t, s, fused):
    theirs = nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64).eval()
    ours = MultiHeadAttention.from_torch(theirs)
    ours.fused = fused
    x, memory = drawn(b, t, 8), drawn(b, s, 8, seed=2)
    allowed = torch.rand(t, s, generator=rng(3)) < 0.6
    allowed[:, 0] = True
    for mask in (None, allowed):
        hidden = None if mask is None else ~mask
        expected = theirs(x, memory, memory, attn_mask=hidden, need_weights=False)[0]
        torch.testing.assert_close(ours(x, memory, mask=mask), expected, **EXACT)


@pytest.mark.parametrize("b", [1, 3])
@pytest.mark.parametrize("t", [1, 5])
@pytest.mark.parametrize("norm_first", [False, True])
def test_blocks_are_torchs_at_odd_shapes(b, t, norm_first):
    kind = {"batch_first": True, "norm_first": norm_first, "dtype": torch.float64}
    x, memory = drawn(b, t, 8), drawn(b, 1, 8, seed=2)
    encoder = nn.TransformerEncoderLayer(8, 2, 3, **kind).eval()
    torch.testing.assert_close(EncoderBlock.from_torch(encoder)(x), encoder(x), **EXACT)
    decoder = nn.TransformerDecoderLayer(8, 2, 3, **kind).eval()
    later = torch.ones(t, t, dtype=torch.bool).triu(1)
    expected = decoder(x, memory, tgt_mask=later)
    torch.testing.assert_close(DecoderBlock.from_torch(decoder)(x, memory), expected, **EXACT)


@pytest.mark.parametrize(("b", "t", "n", "m"), [(1, 1, 1, 1), (1, 9, 3, 1), (4, 1, 1, 5)])
def test_recurrent_cells_are_torchs_at_odd_shapes(b, t, n, m):
    x = drawn(b, t, n)
    for layer, cell in ((nn.LSTM, LSTMCell), (nn.GRU, GRUCell)):
        theirs = layer(n, m, batch_first=True, dtype=torch.float64)
        torch.testing.assert_close(unroll(cell.of(theirs), x)[0], theirs(x)[0], **EXACT)


@pytest.mark.parametrize("fused", [False, True])
def test_padding_on_both_sides_and_rows_that_read_nothing_stay_finite(fused):
    model, tokens = gpt(fused=fused), torch.tensor([[0, 0, 3, 4, 0, 0]])
    real = torch.tensor([False, False, True, True, False, False])
    padded = model(tokens, mask=real[None, None])
    assert padded.isfinite().all()
    other = model(torch.tensor([[5, 6, 3, 4, 2, 1]]), mask=real[None, None])
    torch.testing.assert_close(padded[:, 2:4], other[:, 2:4], **EXACT)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_a_memory_keeps_the_precision_of_the_weights(dtype):
    model = gpt(dtype=dtype)
    tokens = torch.tensor([[3, 1, 4, 1, 5]])
    reader = model.next_token.reader()
    for t in range(5):
        last = reader.read(tokens[:, t : t + 1])
    assert last.dtype == dtype
    loose = 40 * torch.finfo(dtype).eps  # a few dozen roundings of numbers of size 1
    torch.testing.assert_close(last, model(tokens)[:, -1].log_softmax(-1), atol=loose, rtol=loose)


def test_no_sequences_give_no_answers():
    assert gpt()(ids(0, 3)).shape == (0, 3, 7)
    assert gpt().generate(ids(0, 3), 2) == []
    assert translator()(ids(0, 3), ids(0, 2)).shape == (0, 2, 7)
    assert translator()(ids(2, 3), ids(2, 0)).shape == (2, 0, 7)
    assert unroll(GRUCell(3, 4, rng=rng()), drawn(0, 5, 3))[0].shape == (0, 5, 4)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: gpt()(ids(2, 0)), InputError, "at least one token"),
        (lambda: gpt()(torch.zeros(1, 3)), InputTypeError, "integer tokens"),
        (lambda: gpt().generate(ids(3), 2), InputError, "of shape"),
        (lambda: gpt()(ids(1, 7)), InputError, "positions for 6 tokens"),
        (lambda: gpt()(ids(1, 3), mask=torch.zeros(3, 3)), InputTypeError, "boolean mask"),
        (lambda: gpt()(ids(1, 3), mask=torch.ones(4, 4) > 0), InputError, "cannot be combined"),
        (lambda: translator()(ids(2, 0), ids(2, 3)), InputError, "at least one token"),
        (lambda: translator()(ids(2, 3), ids(3, 3)), InputError, "one target per source"),
        (lambda: translator().next_token(ids(2, 3))(ids(3, 2)), InputError, "same batch"),
        (lambda: LRU(2, 3, rng=rng(), dtype=torch.bfloat16), InputTypeError, "complex"),
    ],
)
def test_what_has_no_answer_is_refused_in_a_sentence(call, error, words, unchecked):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("fused", [False, True])
def test_masks_are_checked_whichever_kernel_reads(fused):
    layer, x = MultiHeadAttention(8, 2, fused=fused, rng=rng()), drawn(2, 5, 8)
    with pytest.raises(InputTypeError, match="boolean"):
        layer(x, mask=torch.ones(5, 5, dtype=torch.int32))
    with pytest.raises(InputError, match="does not fit"):
        layer(x, mask=torch.ones(4, 4, dtype=torch.bool))
    with pytest.raises(InputError, match="at least one key"):
        layer(x, x[:, :0])


def test_states_and_pairs_that_do_not_fit_are_refused(unchecked):
    with pytest.raises(InputError, match="initial state"):
        unroll(LSTMCell(3, 4, rng=rng()), drawn(2, 5, 3), state=drawn(2, 4))
    net = Seq2Seq(GRUCell(4, 8, rng=rng()), GRUCell(4, 8, rng=rng()), 5, 6, rng=rng())
    assert net.generate(ids(2, 3), 0).shape == (2, 0)
    with pytest.raises(InputError, match="max_len >= 0"):
        net.generate(ids(2, 3), -1)
    with pytest.raises(InputError, match="one target per source"):
        net(ids(2, 3), ids(3, 3))
    with pytest.raises(InputError, match="from 0 to 5"):
        net.next_token(ids(1, 3))(torch.tensor([[77]]))
