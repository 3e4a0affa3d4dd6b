"""Modules and weights that are named by a path."""

import json

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from corollary.errors import InputError
from corollary.examine.modules import load_module
from corollary.examine.weights import load_weights


def network():
    return nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))


WRAPPED = {
    "plain": lambda state: state,
    "in a checkpoint": lambda state: {"epoch": 3, "state_dict": state},
    "of data parallel": lambda state: {f"module.{k}": v for k, v in state.items()},
    "of torch.compile": lambda state: {"model": {f"_orig_mod.{k}": v for k, v in state.items()}},
}


@pytest.mark.parametrize("form", WRAPPED)
@pytest.mark.parametrize("zipped", [True, False])
def test_a_state_dict_of_torch_is_loaded(tmp_path, form, zipped):
    net, other = network(), network()
    path = tmp_path / "mine.pt"
    torch.save(WRAPPED[form](net.state_dict()), path, _use_new_zipfile_serialization=zipped)
    load_weights(other, path)
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True))


class Boom:
    def __reduce__(self):
        return print, ("code ran",)


HOSTILE = {"module": network(), "object": Boom(), "entry": {"state_dict": Boom()}}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_file_that_would_run_code_is_refused_and_runs_none(tmp_path, content, capsys):
    torch.save(content, tmp_path / "gift.pt")
    with pytest.raises(InputError, match=r"gift.pt .*torch.save\(model.state_dict\(\)"):
        load_weights(network(), tmp_path / "gift.pt")
    assert "code ran" not in capsys.readouterr().out


@pytest.mark.parametrize("content", [[1, 2], {"lr": 0.1}, torch.zeros(3)], ids=str)
def test_a_file_without_weights_is_one_sentence(tmp_path, content):
    torch.save(content, tmp_path / "other.pt")
    with pytest.raises(InputError, match="other.pt"):
        load_weights(network(), tmp_path / "other.pt")


def test_weights_that_do_not_fit_or_are_damaged_are_one_sentence(tmp_path):
    torch.save(nn.Linear(5, 5).state_dict(), tmp_path / "w.pt")
    with pytest.raises(InputError, match="do not fit Sequential"):
        load_weights(network(), tmp_path / "w.pt")
    (tmp_path / "w.pt").write_bytes((tmp_path / "w.pt").read_bytes()[:300])
    with pytest.raises(InputError, match="w.pt"):
        load_weights(network(), tmp_path / "w.pt")


def test_names_that_do_not_fit_are_told(tmp_path):
    state = network().state_dict() | {"extra.weight": torch.zeros(1)}
    del state["2.bias"]
    torch.save(state, tmp_path / "w.pt")
    told = r"w.pt do not fit Sequential: missing: 2.bias; not in the module: extra.weight$"
    with pytest.raises(InputError, match=told):
        load_weights(network(), tmp_path / "w.pt")


class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = network()


@pytest.mark.parametrize(("made", "wanted"), [(Wrapped, network), (network, Wrapped)])
def test_a_prefix_that_all_names_share_is_put_right(tmp_path, made, wanted):
    torch.manual_seed(0)
    net, other = made(), wanted()
    torch.save({"state_dict": net.state_dict()}, tmp_path / "lightning.ckpt")
    load_weights(other, tmp_path / "lightning.ckpt")
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(4, 3), nn.Linear(3, 4, bias=False)
        self.head.weight = self.table.weight


@pytest.mark.parametrize("shards", [1, 2])
def test_a_folder_of_weights_is_loaded(tmp_path, shards):
    net, other = network(), network()
    state = net.state_dict()
    if shards == 1:
        save_file(state, tmp_path / "model.safetensors")
    else:
        places = {name: f"model-{i % 2}.safetensors" for i, name in enumerate(state)}
        for place in set(places.values()):
            part = {name: state[name] for name in state if places[name] == place}
            save_file(part, tmp_path / place)
        (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    load_weights(other, tmp_path)
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True))


def test_of_tied_weights_one_name_is_enough(tmp_path):
    net, other = Tied(), Tied()
    save_file({"table.weight": net.table.weight.detach()}, tmp_path / "model.safetensors")
    load_weights(other, tmp_path)
    assert torch.equal(other.head.weight, net.head.weight)


def test_a_folder_without_weights_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match="has no weights; expected model.safetensors"):
        load_weights(network(), tmp_path)


@pytest.mark.slow  # importing transformers
def test_a_folder_of_transformers_is_a_module(tmp_path):
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(vocab_size=11, n_positions=8, n_embd=8, n_layer=1, n_head=2)
    model = transformers.GPT2LMHeadModel(config)
    model.save_pretrained(tmp_path)
    again, data = load_module(str(tmp_path))
    assert type(again) is type(model) and data is None
    assert torch.equal(again.lm_head.weight, model.lm_head.weight)
    other = transformers.GPT2LMHeadModel(config)
    load_weights(other, tmp_path)
    assert torch.equal(other.lm_head.weight, model.lm_head.weight)
