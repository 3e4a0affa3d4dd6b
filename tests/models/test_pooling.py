import pytest
import torch
from torch.nn import functional

from corollary.errors import InputError
from corollary.models.pooling import AvgPool, GlobalAvgPool, GlobalMaxPool, MaxPool

x = torch.randn(2, 3, 8, 9, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.mark.parametrize(("r", "stride"), [(2, None), (2, 1), (3, 2)])
def test_it_is_the_pooling_of_torch(r, stride):
    torch.testing.assert_close(MaxPool(r, stride)(x), functional.max_pool2d(x, r, stride))
    torch.testing.assert_close(AvgPool(r, stride)(x), functional.avg_pool2d(x, r, stride))


def test_global_pooling_is_adaptive_pooling_to_one_pixel_and_blind_to_shifts():
    torch.testing.assert_close(GlobalMaxPool()(x), functional.adaptive_max_pool2d(x, 1)[..., 0, 0])
    torch.testing.assert_close(GlobalAvgPool()(x), x.mean((2, 3)))
    assert torch.equal(GlobalMaxPool()(x.roll(3, -1)), GlobalMaxPool()(x))


def test_without_a_stride_the_formula_of_the_notes_does_not_downsample():
    image = x[:, :, :, :8]
    assert MaxPool(2, stride=1)(image).shape[2:] == (7, 7)
    assert MaxPool(2)(image).shape[2:] == (4, 4)


def test_a_window_of_two_by_two_gives_its_largest_entry():
    image = torch.tensor([[1, 1, 2, 4], [5, 6, 7, 8], [3, 2, 1, 0], [1, 2, 3, 4]]).double()
    assert MaxPool(2)(image[None, None])[0, 0].tolist() == [[6, 8], [3, 4]]


def test_the_gradient_goes_to_the_place_of_the_maximum():
    def routed(pool):
        leaf = x.clone().requires_grad_()
        return torch.autograd.grad(pool(leaf).sum(), leaf)[0]

    torch.testing.assert_close(routed(MaxPool(2)), routed(lambda z: functional.max_pool2d(z, 2)))
    tied = torch.ones(1, 1, 2, 2, requires_grad=True)
    MaxPool(2)(tied).sum().backward()
    assert tied.grad.flatten().tolist() == [1, 0, 0, 0]


def test_a_shift_inside_the_window_changes_some_windows_and_not_others():
    image = torch.zeros(1, 1, 4, 8)
    image[0, 0, 1, 0], image[0, 0, 1, 5] = 1.0, 2.0
    still, moved = MaxPool(2)(image), MaxPool(2)(image.roll(1, -1))
    assert still[0, 0, 0].tolist() == [1, 0, 2, 0]
    assert moved[0, 0, 0].tolist() == [1, 0, 0, 2]


def test_windows_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="does not fit"):
        MaxPool(9)(x)
    with pytest.raises(InputError, match="at least 1"):
        AvgPool(0)
    assert "stride=2" in repr(MaxPool(2))
