"""Generation with a memory: the same numbers as from scratch, for far fewer operations."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from corollary.errors import InputError
from corollary.models.attention.memory import ROOM, KeyValues
from corollary.models.transformers.blocks import DecoderBlock
from corollary.models.transformers.gpt import GPT
from corollary.models.transformers.translation import Transformer
from corollary.theory.sequences.decoding.beam import beam_search
from corollary.theory.sequences.decoding.exhaustive import decode_exhaustive
from corollary.theory.sequences.decoding.greedy import decode_greedy
from corollary.theory.sequences.decoding.next_token import sequence_log_probability

# Sums over d or t <= 100 terms of size 1 in another order: a few hundred roundings of 1e-16.
EXACT = {"atol": 1e-12, "rtol": 1e-12}


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def tokens(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randint(0, 7, shape, generator=rng(seed))


def gpt(**options) -> GPT:
    return GPT(7, 8, 2, 2, max_len=200, rng=rng(), **options).eval()


def translator(**options) -> Transformer:
    return Transformer(7, 7, d_model=8, layers=2, rng=rng(), **options).eval()


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "none"])
@pytest.mark.parametrize("norm", ["pre", "post", "none"])
@pytest.mark.parametrize("fused", [False, True])
def test_reading_in_pieces_gives_the_logits_of_the_whole(positions, norm, fused):
    model, ids = gpt(positions=positions, norm=norm, fused=fused), tokens(3, 12)
    whole, reader, t = model(ids).log_softmax(dim=-1), model.next_token.reader(), 0
    for s in (1, 4, 1, 1, 5):
        t += s
        torch.testing.assert_close(reader.read(ids[:, t - s : t]), whole[:, t - 1], **EXACT)


def test_a_memory_longer_than_its_first_buffer_forgets_nothing():
    model, ids = gpt(), tokens(2, 3 * ROOM)
    whole, reader = model(ids).log_softmax(dim=-1), model.next_token.reader()
    for piece in ids.split(16, dim=1):
        last = reader.read(piece)
    torch.testing.assert_close(last, whole[:, -1], **EXACT)


def test_kept_rows_go_on_as_their_prefixes_would():
    model, ids, more = gpt(), tokens(3, 5), tokens(4, 3, seed=2)
    reader, rows = model.next_token.reader(), torch.tensor([2, 0, 2, 1])
    reader.read(ids)
    reader.keep(rows)
    expected = model(torch.cat([ids[rows], more], dim=1))[:, -1].log_softmax(dim=-1)
    torch.testing.assert_close(reader.read(more), expected, **EXACT)


@pytest.mark.parametrize("lengths", [None, torch.tensor([5, 2, 3])])
def test_an_encoder_decoder_reads_in_pieces_and_keeps_rows_with_their_sources(lengths):
    model, source, target = translator(), tokens(3, 5), tokens(3, 6, seed=2)
    whole = model(source, target, lengths).log_softmax(dim=-1)
    reader = model.next_token(source, lengths).reader()
    for t in range(4):
        new = target[:, max(t - 1, 0) : t]
        torch.testing.assert_close(reader.read(new), whole[:, t], **EXACT)
    rows = torch.tensor([1, 2])
    reader.keep(rows)
    torch.testing.assert_close(reader.read(target[rows, 3:5]), whole[rows, 5], **EXACT)


@pytest.mark.parametrize("width", [1, 2, 5])
@pytest.mark.parametrize("eos", [None, 3])
def test_searches_find_the_same_with_and_without_a_memory(width, eos):
    model = translator()
    ask = model.next_token(tokens(1, 4))
    plain = lambda prefix: ask(prefix)  # noqa: E731 - no method reader: prefixes are read again
    found, again = (beam_search(m, width, 6, eos=eos) for m in (ask, plain))
    assert [d.tokens for d in found] == [d.tokens for d in again]
    assert [d.log_probability for d in found] == pytest.approx(
        [d.log_probability for d in again], rel=1e-12
    )
    assert decode_greedy(ask, 6, eos=eos)[0].tokens == decode_greedy(plain, 6, eos=eos)[0].tokens
    best, also = (decode_exhaustive(m, 3, eos=eos) for m in (ask, plain))
    assert best.tokens == also.tokens
    score = sequence_log_probability(ask, best.tokens)
    assert score == pytest.approx(best.log_probability, rel=1e-12)


@pytest.mark.parametrize("rule", [{}, {"k": 3}, {"p": 0.8, "temperature": 2.0}])
def test_samples_are_those_of_the_model_without_a_memory(rule):
    from corollary.models.transformers.gpt import _rule
    from corollary.theory.sequences.decoding.next_token import decode_stepwise

    model, prompt = gpt(), tokens(3, 4)
    choose = _rule(rule.get("k"), rule.get("p"), rule.get("temperature", 1.0), rng(5))
    slow = decode_stepwise(
        lambda prefix: model(prefix)[:, -1].log_softmax(dim=-1), choose, 9, start=prompt
    )
    fast = model.generate(prompt, 9, rng=rng(5), **rule)
    assert [d.tokens for d in fast] == [d.tokens for d in slow]


def operations(run) -> int:
    """In products; the counter does not know the fused kernel, so it falls into its parts."""
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        run()
    return counter.get_total_flops()


def test_a_token_costs_the_projections_and_one_look_at_each_earlier_position():
    d, d_ff, layers, K, b = 8, 32, 2, 7, 3
    model, ids = gpt(), tokens(b, 101)
    reader = model.next_token.reader()
    reader.read(ids[:, :1])
    for t in (10, 12, 50, 100):  # a product of n by m takes 2 n m operations
        reader.read(ids[:, reader.length : t - 1])
        measured = operations(lambda t=t: reader.read(ids[:, t - 1 : t]))
        assert measured == 2 * b * (layers * (4 * d * d + 2 * d * d_ff + 2 * t * d) + d * K)


def test_without_a_memory_a_token_costs_as_much_as_all_before_it():
    model, ids = gpt(), tokens(1, 64)
    afresh = [operations(lambda t=t: model(ids[:, :t])) for t in (16, 32, 64)]
    assert afresh[1] > 2 * afresh[0] and afresh[2] > 2 * afresh[1]
    reader = model.next_token.reader()
    reader.read(ids[:, :63])
    assert 40 * operations(lambda: reader.read(ids[:, 63:])) < afresh[2]


def test_the_keys_of_a_source_are_computed_once():
    model, source = translator(), tokens(2, 50)
    reader = model.next_token(source).reader()
    reader.read(tokens(2, 3))
    d, d_ff, S, t = 8, 32, 50, 5
    measured = operations(lambda: reader.read(tokens(2, 1)))
    block = 4 * d * d + 2 * t * d + 2 * d * d + 2 * S * d + 2 * d * d_ff
    assert measured == 2 * 2 * (2 * block + d * 7)


def test_a_block_that_is_not_causal_cannot_be_continued():
    block = DecoderBlock(8, 2, cross_attention=False, causal=False, rng=rng())
    with pytest.raises(InputError, match="earlier positions depend on later ones"):
        block.step(torch.randn(1, 1, 8).double(), KeyValues())


def test_what_a_memory_cannot_take_is_refused():
    model, ids = gpt(), tokens(3, 5)
    reader = model.next_token.reader()
    with pytest.raises(InputError, match="at least one new token"):
        reader.read(ids[:, :0])
    reader.read(ids)
    with pytest.raises(InputError, match="the rows to keep"):
        reader.read(ids[:2])
    with pytest.raises(InputError, match="only with cross-attention"):
        model.blocks[0].step(torch.randn(1, 1, 8).double(), KeyValues(), (ids, ids))
