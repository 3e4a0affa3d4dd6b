"""What a notebook has set in torch changes no result."""

import pytest
import torch

from corollary.run.check import check

# The first differentiates, the second makes tensors of the default dtype.
NAMES = ["mlp3_gradients", "weight_norm_growth"]


def in_float16():
    torch.set_default_dtype(torch.float16)


def in_float64():
    torch.set_default_dtype(torch.float64)


def without_gradients():
    torch.set_grad_enabled(False)


SETTINGS = {f.__name__: f for f in (in_float16, in_float64, without_gradients)}


@pytest.fixture
def restored():
    yield
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)


@pytest.mark.parametrize("change", SETTINGS.values(), ids=SETTINGS)
def test_results_do_not_depend_on_what_is_set(restored, change):
    usual = check(NAMES).to_json()["results"]
    change()
    before = torch.get_default_dtype(), torch.is_grad_enabled()
    assert check(NAMES).to_json()["results"] == usual
    assert (torch.get_default_dtype(), torch.is_grad_enabled()) == before


def test_results_are_the_same_in_inference_mode_and_under_autocast():
    usual = check(NAMES).to_json()["results"]
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        assert check(NAMES).to_json()["results"] == usual
