"""Targets that are names in a library, with the real libraries where they are installed."""

import json
import socket

import pytest
import torch

from corollary.errors import InputError, MissingExtraError
from corollary.examine import hubs
from corollary.examine.hubs import hub_of, load_from_hub
from corollary.examine.mistakes import check_words
from corollary.examine.modules import load_module

CONFIG = {
    "model_type": "gpt2",
    "architectures": ["GPT2LMHeadModel"],
    "vocab_size": 32,
    "n_positions": 16,
    "n_embd": 8,
    "n_layer": 1,
    "n_head": 2,
}


@pytest.fixture
def config(tmp_path):
    pytest.importorskip("transformers")
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    return path


def test_names_of_libraries_are_known_by_their_prefix():
    assert hub_of("hf:gpt2") == "hf" and hub_of("torchvision:resnet18") == "torchvision"
    assert hub_of("net.py:build") == hub_of("hf:") == hub_of("model.safetensors") == ""


@pytest.mark.filterwarnings("ignore")  # of transformers
@pytest.mark.budget(6)  # it imports transformers
def test_a_config_gives_fresh_weights_that_repeat(config):
    first, second = (load_module(f"hf:{place}")[0] for place in (config, config.parent))
    assert type(first).__name__ == "GPT2LMHeadModel"
    pairs = zip(first.parameters(), second.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    assert first(torch.arange(4)[None]).logits.shape == (1, 4, 32)


@pytest.mark.filterwarnings("ignore")
def test_a_folder_with_weights_gives_these(config):
    made = load_from_hub(f"hf:{config}")
    with torch.no_grad():
        made.transformer.wte.weight.fill_(0.5)
    made.save_pretrained(config.parent)
    again = load_from_hub(f"hf:{config.parent}")
    assert bool((again.transformer.wte.weight == 0.5).all())


@pytest.mark.filterwarnings("ignore")
def test_a_hub_that_cannot_be_reached_is_one_sentence_after_one_attempt(monkeypatch):
    pytest.importorskip("transformers")
    attempts = []

    def refused(address, timeout):
        attempts.append((address, timeout))
        raise OSError(101, "Network is unreachable")

    names = "HTTPS_PROXY https_proxy HF_ENDPOINT HF_HUB_OFFLINE COROLLARY_OFFLINE".split()
    for name in names:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(socket, "create_connection", refused)
    with pytest.raises(InputError, match=r"cannot be reached \(Network is unreachable\)$"):
        load_from_hub("hf:nobody/nothing")
    assert attempts == [(("huggingface.co", 443), hubs.PATIENCE)]
    monkeypatch.setenv("COROLLARY_OFFLINE", "1")
    with pytest.raises(InputError, match=r"cannot be reached \(COROLLARY_OFFLINE is set\)$"):
        load_from_hub("hf:nobody/nothing")
    assert len(attempts) == 1


def usable(name):
    """A library that fits the torch that is installed; others break when they are imported."""
    return pytest.importorskip(name, exc_type=(ImportError, RuntimeError))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.budget(6)  # it imports the library
@pytest.mark.parametrize(("library", "name"), [("timm", "resnet10t"), ("torchvision", "resnet18")])
def test_a_network_of_a_library_of_images_is_built(library, name):
    usable(library)
    model = load_from_hub(f"{library}:{name}").eval()
    assert model(torch.zeros(1, 3, 64, 64)).shape == (1, 1000)
    with pytest.raises(InputError, match=f"{library} has no network 'resnet1'; did you mean"):
        load_from_hub(f"{library}:resnet1")


@pytest.mark.parametrize(
    ("target", "extra"), [("hf:gpt2", "hf"), ("timm:vit", "timm"), ("torchvision:vgg", "vision")]
)
def test_a_missing_package_is_one_sentence_before_anything_is_imported(monkeypatch, target, extra):
    monkeypatch.setattr(hubs, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'corollary\[{extra}\]'$"):
        check_words(target)
