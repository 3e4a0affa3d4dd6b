import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.data.small_language import padded
from corollary.errors import InputError, UnknownNameError
from corollary.models.transformers.bert import HEADS, BertForPretraining, MiniBERT
from corollary.models.transformers.blocks import EncoderBlock


def bert(layers=2, **options):
    return MiniBERT(30, layers, 16, heads=4, max_len=12, rng=generator(0, "bert"), **options)


def sentences(n=3, t=7):
    return torch.randint(5, 30, (n, t), generator=generator(1, "ids"))


def test_every_output_depends_on_every_input():
    model = bert(1)
    x = model.embed(sentences(1)).detach()
    J = torch.autograd.functional.jacobian(lambda x: model.contextual(x)[0], x)[:, :, 0]
    strength = J.pow(2).sum(dim=(1, 3)).sqrt()  # (t out, t in)
    assert float(strength.min()) > 1e-6


def test_padding_is_read_by_no_one():
    model, short = bert(), sentences(1, 5)
    ids, there = padded(short.tolist(), length=9)
    for fill in (0, 17):
        filled = ids.masked_fill(~there, fill)
        torch.testing.assert_close(model(filled, there=there)[:, :5], model(short))
    assert float((model(ids)[:, :5] - model(short)).detach().abs().max()) > 1e-3


SHAPES = {"mlm": (3, 7, 30), "nsp": (3, 2), "qa": (3, 7, 2), "tags": (3, 7, 6), "classes": (3, 4)}


@pytest.mark.parametrize(("name", "shape"), SHAPES.items())
def test_heads_have_their_shapes_and_share_the_encoder(name, shape):
    model, options = bert(), {"tags": {"tags": 6}, "classes": {"classes": 4}}.get(name, {})
    task = model.with_head(name, rng=generator(2), **options)
    assert task(sentences()).shape == shape
    assert task.bert is model and set(HEADS) >= {name}
    with pytest.raises(UnknownNameError, match="mlm, nsp"):
        model.with_head("poetry", rng=generator(0))


def test_the_embeddings_are_summed_and_normalised():
    model, ids = bert(0), sentences(1)
    segments = torch.tensor([[0, 0, 0, 1, 1, 1, 1]])
    total = model.tokens.weight[ids] + model.segments.weight[segments] + model.positions.P[:7]
    expected = nn.functional.layer_norm(total, (16,), eps=model.norm.delta)
    torch.testing.assert_close(model(ids, segments), expected)


def test_it_is_torchs_encoder_on_the_embeddings():
    layers = [
        nn.TransformerEncoderLayer(
            16, 4, 64, 0.0, nn.functional.gelu, batch_first=True, dtype=torch.float64
        ).eval()
        for _ in range(2)
    ]
    model, ids = bert(), sentences()
    model.blocks = nn.ModuleList(EncoderBlock.from_torch(layer) for layer in layers)
    there = torch.arange(7) < torch.tensor([7, 5, 2])[:, None]
    x = model.embed(ids)
    for layer in layers:
        x = layer(x, src_key_padding_mask=~there)
    ours = model(ids, there=there)
    torch.testing.assert_close(ours[there], x[there], rtol=1e-9, atol=1e-9)


def test_the_joint_loss_is_the_sum_and_its_gradient_the_sum_of_gradients():
    both = BertForPretraining(bert(), rng=generator(3))
    ids, follows = sentences(), torch.tensor([0, 1, 1])
    labels = torch.where(torch.arange(7) % 3 == 1, ids, -100)
    words, next_one = both(ids)

    def gradient(loss):
        weights = list(both.parameters())
        parts = torch.autograd.grad(loss, weights, retain_graph=True, materialize_grads=True)
        return torch.cat([part.flatten() for part in parts])

    first, second = both.mlm.loss(words, labels), both.nsp.loss(next_one, follows)
    joint = both.loss((words, next_one), labels, follows)
    torch.testing.assert_close(joint, first + second)
    torch.testing.assert_close(gradient(joint), gradient(first) + gradient(second))


def test_ids_and_lengths_that_do_not_exist_are_refused():
    with pytest.raises(InputError, match=r"0 to 29"):
        bert()(torch.tensor([[30]]))
    with pytest.raises(InputError, match="positions for 12"):
        bert()(sentences(1, 13))
