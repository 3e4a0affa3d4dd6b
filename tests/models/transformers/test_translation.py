import pytest
import torch

from corollary.errors import InputError
from corollary.models.transformers.gpt import GPT
from corollary.models.transformers.translation import Transformer, shifted_right
from corollary.theory.sequences.decoding.next_token import sequence_log_probability


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def tokens(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randint(0, 7, shape, generator=rng(seed))


def net(**options) -> Transformer:
    return Transformer(7, 7, d_model=8, rng=rng(), **options)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_teacher_forced_logits_equal_step_by_step_decoding(norm, positions):
    model = net(norm=norm, positions=positions, layers=2)
    source, target = tokens(3, 5), tokens(3, 4, seed=2)
    forced = model(source, target).log_softmax(dim=-1)
    ask = model.next_token(source)
    steps = [ask(target[:, :t]) for t in range(4)]
    assert torch.allclose(forced, torch.stack(steps, dim=1), atol=1e-12)


def test_a_later_target_token_changes_no_earlier_logits():
    model, source, target = net(), tokens(1, 5), tokens(1, 4, seed=2)
    other = target.clone()
    other[0, 2] = (other[0, 2] + 1) % 7
    assert torch.equal(model(source, target)[:, :3], model(source, other)[:, :3])
    assert not torch.allclose(model(source, target)[:, 3], model(source, other)[:, 3])


def test_generation_is_greedy_and_wider_beams_are_no_less_probable_over_two_tokens():
    model, source = net(), tokens(4, 5)
    greedy, beam = model.generate(source, 2), model.generate(source, 2, width=5)
    for i in range(4):
        ask = model.next_token(source[i : i + 1])
        logits = ask(torch.empty(1, 0, dtype=torch.int64))
        assert greedy[i].tokens[0] == int(logits.argmax())
        assert beam[i].log_probability >= greedy[i].log_probability - 1e-12
        exact = sequence_log_probability(ask, beam[i].tokens)
        assert exact == pytest.approx(beam[i].log_probability)


def test_padding_of_the_source_changes_nothing():
    model, source, target = net(), tokens(2, 5), tokens(2, 4, seed=2)
    padded = torch.cat([source, tokens(2, 3, seed=9)], dim=1)
    lengths = torch.tensor([5, 5])
    assert torch.allclose(model(padded, target, lengths), model(source, target), atol=1e-12)
    for width in (1, 3):
        a = model.generate(padded, 4, width=width, source_lengths=lengths)
        assert [d.tokens for d in a] == [d.tokens for d in model.generate(source, 4, width=width)]


def test_generation_stops_at_the_end_and_keeps_the_mode():
    model, source = net(dropout=0.5), tokens(6, 5)
    end = model.generate(source, 1)[0].tokens[0]
    assert model.training
    first = model.generate(source, 4, eos=end)[0]
    assert first.tokens == (end,) and first.finished


def test_the_start_token_is_shifted_in_and_never_written():
    assert shifted_right(torch.tensor([[1, 2]]), 7).tolist() == [[7, 1, 2]]
    assert net()(tokens(2, 3), tokens(2, 4)).shape == (2, 4, 7)


def test_without_positions_the_order_of_the_source_is_lost():
    model, source, target = net(positions="none"), tokens(2, 5), tokens(2, 4, seed=2)
    assert torch.allclose(model(source.flip(1), target), model(source, target), atol=1e-12)
    assert not torch.allclose(net()(source.flip(1), target), net()(source, target), atol=1e-3)


def test_tokens_outside_the_vocabulary_and_unknown_positions_are_refused():
    with pytest.raises(InputError, match="from 0 to 6"):
        net()(torch.tensor([[9]]), torch.tensor([[1]]))
    with pytest.raises(InputError, match="'sinusoidal', 'learned' or 'none'"):
        net(positions="rotary")


def test_a_gpt_does_not_look_ahead_and_continues_a_prompt():
    model, ids = GPT(7, 8, 2, 2, max_len=9, rng=rng()), tokens(2, 5)
    assert torch.allclose(model(ids)[:, :3], model(ids[:, :3]), atol=1e-12)
    greedy = model.generate(ids, 3)
    assert torch.allclose(model.next_token(ids), model(ids)[:, -1].log_softmax(dim=-1))
    assert greedy[0].tokens[0] == int(model(ids)[0, -1].argmax())
    assert [d.tokens for d in model.generate(ids, 3, k=1, rng=rng())] == [d.tokens for d in greedy]
    hot = model.generate(ids, 3, p=0.9, temperature=5.0, rng=rng(1))
    assert hot != model.generate(ids, 3, p=0.9, temperature=5.0, rng=rng(2))
    assert hot == model.generate(ids, 3, p=0.9, temperature=5.0, rng=rng(1))


def test_what_a_gpt_cannot_continue_is_refused():
    model, ids = GPT(7, 8, 2, max_len=6, rng=rng()), tokens(1, 5)
    with pytest.raises(InputError, match="at least one token"):
        model.generate(ids[:, :0], 2)
    with pytest.raises(InputError, match="needs rng"):
        model.generate(ids, 1, k=3)
    with pytest.raises(InputError, match="not both"):
        model.generate(ids, 1, k=3, p=0.5, rng=rng())
    with pytest.raises(InputError, match="positions for 6 tokens"):
        model.generate(ids, 4)
