import pytest
import torch

from corollary.errors import InputError
from corollary.train.width_sweep import Width, interpolation_width, width_sweep


def blobs(n=40, seed=0):
    rng = torch.Generator().manual_seed(seed)
    y = torch.arange(n) % 3
    centres = torch.tensor([[0.0, 3.0], [3.0, 0.0], [-3.0, -3.0]]).double()
    return centres[y] + 0.5 * torch.randn(n, 2, generator=rng).double(), y


def test_stopping_at_zero_training_error_takes_fewer_steps_than_converging():
    train, test = blobs(), blobs(seed=1)
    early = width_sweep(train, test, widths=[16], stop="zero_train", lr=0.05, seeds=2)[0]
    late = width_sweep(train, test, widths=[16], lr=0.05, seeds=2)[0]
    assert early.mean_train == late.mean_train == 0
    assert max(early.steps) < min(late.steps)
    assert late.mean_test < 0.1


def test_the_same_seed_gives_the_same_sweep_and_images_are_flattened():
    x, y = blobs()
    options = {"widths": [3, 5], "steps": 10, "seeds": 2, "seed": 4}
    assert width_sweep((x, y), (x, y), **options) == width_sweep((x, y), (x, y), **options)
    assert len(width_sweep((x[:, :, None], y), (x[:, :, None], y), **options)) == 2


def test_the_interpolation_width_is_the_first_of_those_that_all_fit():
    def sweep(*errors):
        return [Width(2**i, (e,), (0.1,), (1,)) for i, e in enumerate(errors)]

    assert interpolation_width(sweep(0.3, 0.0, 0.1, 0.0, 0.0)) == 8
    assert interpolation_width(sweep(0.3, 0.1)) is None


def test_unknown_stops_and_empty_sweeps_are_refused():
    data = blobs()
    with pytest.raises(InputError, match="zero_train"):
        width_sweep(data, data, widths=[2], stop="never")
    with pytest.raises(InputError, match="widths and seeds"):
        width_sweep(data, data, widths=[])
