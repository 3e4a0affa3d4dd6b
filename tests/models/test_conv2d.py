import pytest
import torch
from torch.nn import functional

from corollary.errors import InputError
from corollary.models.conv2d import Conv2d


def drawn(*shape):
    rng = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize(("stride", "padding"), [(1, 0), (2, 1), ((1, 2), (2, 0))])
def test_it_is_torch_conv2d_with_or_without_flipped_weights(stride, padding):
    x, K, b = drawn(2, 3, 8, 7), drawn(4, 3, 3, 2), drawn(4)
    options = {"stride": stride, "padding": padding}
    plain, flip = Conv2d.of(K, b, flip=False, **options)(x), Conv2d.of(K, b, **options)(x)
    torch.testing.assert_close(plain, functional.conv2d(x, K, b, **options))
    torch.testing.assert_close(flip, functional.conv2d(x, K.flip((2, 3)), b, **options))


def test_it_is_the_sum_of_the_statement():
    x, K, s, p = drawn(1, 2, 5, 5), drawn(3, 2, 3, 3), 2, 1
    y = Conv2d.of(K, stride=s, padding=p)(x).detach()
    for m, i, j in [(0, 0, 0), (1, 1, 2), (2, 2, 2)]:
        total = 0.0
        for c in range(2):
            for u in range(3):
                for v in range(3):
                    a, e = i * s + u - p, j * s + v - p
                    if 0 <= a < 5 and 0 <= e < 5:
                        total += float(x[0, c, a, e] * K[m, c, 2 - u, 2 - v])
        assert float(y[0, m, i, j]) == pytest.approx(total)


def test_the_drawn_layer_keeps_the_size_of_the_signal():
    layer = Conv2d(8, 64, 3, rng=torch.Generator().manual_seed(0))
    y = layer(drawn(4, 8, 12, 12)).detach()
    assert y.shape == (4, 64, *layer.output_size((12, 12)))
    assert float(y.var()) == pytest.approx(1, rel=0.2)


def test_wrong_channels_and_sizes_are_refused():
    layer = Conv2d(2, 1, 3, rng=torch.Generator())
    with pytest.raises(InputError, match="2 channels"):
        layer(drawn(1, 1, 5, 5))
    with pytest.raises(InputError, match="does not fit"):
        layer(drawn(1, 2, 2, 5))
    with pytest.raises(InputError, match="at least 1"):
        Conv2d(2, 1, 0, rng=torch.Generator())
