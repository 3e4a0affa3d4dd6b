"""Encoder-decoder and attention."""

import pytest
import torch

from corollary.data.toy_sequences import copy_pairs, reversal_pairs
from corollary.errors import InputError
from corollary.models.recurrent.additive_attention import AdditiveAttention
from corollary.models.recurrent.elman import ElmanCell
from corollary.models.recurrent.gru import GRUCell
from corollary.models.recurrent.lstm import LSTMCell
from corollary.models.recurrent.seq2seq import Seq2Seq
from corollary.theory.sequences.decoding.beam import beam_search
from corollary.theory.sequences.decoding.greedy import decode_greedy
from corollary.theory.sequences.factorization import all_sequences, teacher_forced_loss
from corollary.train import fit

EXACT = {"rtol": 1e-10, "atol": 1e-12}


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def model(attention=False, cell=GRUCell, K=4, m=12, e=6, seed=0):
    r = rng(seed)
    look = AdditiveAttention(m, m, 8, rng=r) if attention else None
    decoder = cell(e + (m if attention else 0), m, rng=r)
    return Seq2Seq(cell(e, m, rng=r), decoder, K, K, attention=look, rng=r)


def test_attention_is_its_formula_with_rows_that_sum_to_one():
    look = AdditiveAttention(3, 4, 5, rng=rng())
    z, zeta = (torch.randn(*s, generator=rng(1), dtype=torch.float64) for s in ((2, 3), (2, 6, 4)))
    c, a = look(z, zeta)
    scores = torch.stack(
        [
            torch.stack(
                [look.v[0] @ torch.tanh(look.W @ z[b] + look.U @ zeta[b, j]) for j in range(6)]
            )
            for b in range(2)
        ]
    )
    torch.testing.assert_close(a, torch.softmax(scores, dim=1), **EXACT)
    torch.testing.assert_close(a.sum(1), torch.ones(2, dtype=torch.float64))
    torch.testing.assert_close(c, (a[..., None] * zeta).sum(1), **EXACT)


def test_masked_places_get_no_weight_and_an_empty_row_is_refused():
    look = AdditiveAttention(3, 4, 5, rng=rng())
    z, zeta = torch.ones(2, 3).double(), torch.randn(2, 6, 4, generator=rng(1)).double()
    alive = torch.tensor([[True] * 3 + [False] * 3, [True] * 6])
    _, a = look(z, zeta, alive)
    assert a[0, 3:].tolist() == [0.0] * 3 and abs(a[0].sum().item() - 1) < 1e-12
    with pytest.raises(InputError, match="row 1 has none"):
        look(z, zeta, alive & torch.tensor([[True], [False]]))


@pytest.mark.parametrize("cell", [ElmanCell, LSTMCell, GRUCell])
@pytest.mark.parametrize("attention", [False, True])
def test_padding_of_the_source_changes_nothing(cell, attention):
    net = model(attention, cell)
    x, y = copy_pairs(2, 5, 4, rng=rng())
    lengths = torch.tensor([3, 5])
    logits = net(x, y, lengths)
    torch.testing.assert_close(logits[0], net(x[:1, :3], y[:1])[0], **EXACT)
    if attention:
        assert not net.alignment(x, y, lengths)[0, :, 3:].any()


@pytest.mark.parametrize("attention", [False, True])
def test_generation_agrees_with_teacher_forcing_on_what_it_said(attention):
    net = model(attention)
    x, _ = copy_pairs(6, 5, 4, rng=rng())
    said = net.generate(x, 7)
    assert torch.equal(net(x, said).argmax(-1), said)


@pytest.mark.parametrize("attention", [False, True])
def test_the_probabilities_of_all_sequences_sum_to_one(attention):
    net, y = model(attention, K=3), all_sequences(3, 4)
    x = torch.tensor([[0, 2, 1]]).expand(len(y), -1)
    with torch.no_grad():
        assert abs(net.log_prob(x, y).exp().sum().item() - 1) < 1e-12


def test_drawn_tokens_follow_the_model_and_stop_at_the_end():
    net = model(K=3)
    x = torch.tensor([[0, 2, 1]]).expand(4000, -1)
    first = net.generate(x, 1, rng=rng(3))[:, 0]
    with torch.no_grad():
        p = net(x[:1], torch.zeros(1, 1).long())[0, 0].softmax(0)
    frequency = torch.bincount(first, minlength=3) / 4000
    assert (frequency - p).abs().max() < 0.035  # four standard errors
    ended = net.generate(x, 6, end=0, rng=rng(4))
    after = (ended == 0).cummax(dim=1).values
    assert bool((ended[after] == 0).all())


@pytest.mark.parametrize("task", [copy_pairs, reversal_pairs])
def test_short_strings_are_learned(task, unchecked):
    net = model(m=16)
    x, y = task(1024, 3, 4, rng=rng())
    adam = torch.optim.Adam(net.parameters(), lr=0.03)
    fit(net, (x, y, y), teacher_forced_loss, adam, steps=100, batch_size=64, clip=1.0)
    x, y = task(200, 3, 4, rng=rng(1))
    assert (net.generate(x, 3) == y).double().mean() > 0.95


def test_parts_that_do_not_fit_are_named():
    r = rng()
    with pytest.raises(InputError, match="same type and size"):
        Seq2Seq(GRUCell(3, 4, rng=r), GRUCell(3, 5, rng=r), 4, 4, rng=r)
    look = AdditiveAttention(4, 4, 4, rng=r)
    with pytest.raises(InputError, match="n = embedding \\+ 4"):
        Seq2Seq(GRUCell(3, 4, rng=r), GRUCell(3, 4, rng=r), 4, 4, attention=look, rng=r)
    with pytest.raises(InputError, match="without it"):
        model().alignment(torch.zeros(1, 2).long(), torch.zeros(1, 2).long())
    with pytest.raises(InputError, match="source tokens"):
        model()(torch.full((1, 2), 4), torch.zeros(1, 2).long())


@pytest.mark.parametrize("cell", [ElmanCell, LSTMCell])
@pytest.mark.parametrize("attention", [False, True])
def test_decoders_carry_the_state_and_find_what_prefixes_read_afresh_give(cell, attention):
    net, lengths = model(attention, cell), torch.tensor([3, 5])
    x, y = copy_pairs(2, 5, 4, rng=rng())
    forced = net(x, y, lengths).log_softmax(dim=-1)
    reader = net.next_token(x, lengths).reader()
    torch.testing.assert_close(reader.read(y[:, :2]), forced[:, 2], **EXACT)
    reader.keep(torch.tensor([1, 1, 0]))
    torch.testing.assert_close(reader.read(y[[1, 1, 0], 2:4]), forced[[1, 1, 0], 4], **EXACT)
    found = decode_greedy(net.next_token(x, lengths), 6, start=x.new_empty(2, 0))
    assert [list(d.tokens) for d in found] == net.generate(x, 6, lengths).tolist()
    ask = net.next_token(x[1:])
    best, again = beam_search(ask, 3, 4), beam_search(lambda prefix: ask(prefix), 3, 4)
    assert [d.tokens for d in best] == [d.tokens for d in again]


def test_sources_and_prefixes_go_together():
    net = model()
    x, y = copy_pairs(2, 5, 4, rng=rng())
    assert net.next_token(x[:1])(y[:, :3]).shape == (2, 4)
    with pytest.raises(InputError, match="got 2 sources for"):
        net.next_token(x)(y[:1, :3])
