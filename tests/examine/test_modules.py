"""Modules and weights that are named by a path."""

import pytest
import torch
from torch import nn

from corollary.errors import InputError
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
