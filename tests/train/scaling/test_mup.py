"""muP of any module, against microsoft/mup and by the check of the width."""

import copy

import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.train.scaling.check import width_check
from corollary.train.scaling.judging import Status
from corollary.train.scaling.mup import mup


def mlp(n, out=nn.Linear):
    return nn.Sequential(nn.Linear(5, n), nn.ReLU(), nn.Linear(n, 2 * n), nn.Tanh(), out(2 * n, 3))


def cnn(n, out=nn.Linear):
    body = [
        nn.Conv2d(3, n, 3),
        nn.BatchNorm2d(n),
        nn.ReLU(),
        nn.Conv2d(n, n, 3),
        nn.GroupNorm(2, n),
    ]
    return nn.Sequential(*body, nn.AdaptiveAvgPool2d(1), nn.Flatten(), out(n, 3))


class Transformer(nn.Module):
    def __init__(self, n, out=nn.Linear):
        super().__init__()
        self.embed = nn.Embedding(7, n)
        self.layer = nn.TransformerEncoderLayer(n, 2, 4 * n, dropout=0.0, batch_first=True)
        self.head = out(n, 7)

    def forward(self, ids):
        return self.head(self.layer(self.embed(ids)))


@pytest.mark.parametrize("build", [mlp, cnn, Transformer])
@pytest.mark.parametrize("name", ["SGD", "AdamW"])
def test_multipliers_are_those_of_microsoft_mup(build, name):
    peer = pytest.importorskip("mup")
    torch.manual_seed(0)
    base, wide = build(16), build(64)
    theirs, delta = build(64, peer.MuReadout), build(8, peer.MuReadout)
    theirs.load_state_dict(wide.state_dict())
    peer.set_base_shapes(theirs, build(16, peer.MuReadout), delta=delta)
    found = mup(wide, base)

    kind = getattr(torch.optim, name)
    mine = found.optimizer(kind, lr=0.1, weight_decay=0.5)
    other = getattr(peer, f"Mu{name}")(theirs.parameters(), lr=0.1, weight_decay=0.5)
    assert settings(wide, mine) == pytest.approx(settings(theirs, other))
    for key, value in theirs.state_dict().items():
        if key.endswith("weight"):  # they also rescale the bias of the output
            assert torch.allclose(wide.state_dict()[key], value), key
    (last,) = found.multipliers if build is not Transformer else ["head"]
    assert found.multipliers[last] == 1 / theirs.get_submodule(last).width_mult()


def settings(model, optimizer):
    names = {id(p): name for name, p in model.named_parameters()}
    return {
        f"{names[id(p)]} {key}": group[key]
        for group in optimizer.param_groups
        for p in group["params"]
        for key in ("lr", "weight_decay")
    }


def test_at_the_base_nothing_changes():
    torch.manual_seed(0)
    model = mlp(16)
    before, x = copy.deepcopy(model), torch.randn(4, 5)
    found = mup(model, mlp(16))
    assert torch.equal(model(x), before(x))
    assert set(found.rates("sgd").values()) == set(found.rates("adam").values()) == {1.0}


def test_the_state_dict_keeps_its_names_and_loads_into_a_module_that_is_set_up():
    model, plain = mlp(64), mlp(64)
    mup(model, mlp(16))
    assert model.state_dict().keys() == plain.state_dict().keys()
    mup(plain, mlp(16), initial=False)
    plain.load_state_dict(model.state_dict())
    x = torch.randn(4, 5)
    assert torch.equal(model(x), plain(x))


def test_a_module_is_set_up_once():
    model = mlp(64)
    mup(model, mlp(16))
    with pytest.raises(InputError, match="has not been applied to"):
        mup(model, mlp(16))


@pytest.mark.parametrize("named", [False, True])
def test_attention_divides_by_the_size_of_its_heads(named):
    torch.manual_seed(0)
    model = nn.MultiheadAttention(64, 2, bias=False)
    x, plain = torch.randn(6, 1, 64), copy.deepcopy(model)
    found = mup(model, nn.MultiheadAttention(16, 2, bias=False), initial=False)
    assert found.multipliers == {"": 0.5}
    plain.in_proj_weight.data[:64] *= 0.5
    words = {"query": x, "key": x, "value": x}
    mine, other = (m(**words) if named else m(x, x, x) for m in (model, plain))
    assert torch.allclose(mine[1], other[1], atol=1e-6)


class Tied(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.embed = nn.Embedding(9, n)
        self.hidden = nn.Linear(n, n)
        self.head = nn.Linear(n, 9, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        return self.head(torch.relu(self.hidden(self.embed(ids))))


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.Adam])
def test_a_head_that_shares_its_matrix_transfers(optimizer):
    ids = torch.arange(8)

    def build(n):
        model = Tied(n)
        return model, mup(model, Tied(32)).optimizer(optimizer, lr=0.01)

    found = width_check(build, (ids, (ids + 3) % 9), widths=(32, 64, 128, 256), seeds=8)
    assert found.status is not Status.BLOWS_UP and found.status is not Status.FREEZES
    for row in found.layers[:-1]:
        assert row.update.value == pytest.approx(0, abs=0.15)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_gpt2_of_transformers_transfers():
    transformers = pytest.importorskip("transformers")

    def gpt(n):
        sizes = {"vocab_size": 65, "n_positions": 16, "n_embd": n, "n_layer": 2, "n_head": 4}
        rates = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0)
        config = transformers.GPT2Config(**sizes, **rates, bos_token_id=0, eos_token_id=0)
        return transformers.GPT2LMHeadModel(config)

    def build(n):
        model = gpt(n)
        return model, mup(model, gpt(64)).optimizer(torch.optim.AdamW, lr=1e-3)

    ids = torch.randint(0, 65, (2, 8), generator=torch.Generator().manual_seed(0))
    data, widths = {"input_ids": ids, "labels": ids}, (64, 128, 256, 512)
    plain = width_check(gpt, data, widths=widths, seeds=3, optimizer="adamw:lr=0.001")
    assert plain.status is Status.BLOWS_UP and plain.confirmed.status is Status.TRANSFERS
    found = width_check(build, data, widths=widths, seeds=3)
    assert found.status is Status.TRANSFERS, str(found)
