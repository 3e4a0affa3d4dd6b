import torch

from corollary.experiments.overfitting.double_descent import fourier


def test_products_of_features_tend_to_the_gaussian_kernel():
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(3, 2, generator=rng, dtype=torch.float64)
    v = torch.randn(2, 100_000, generator=rng, dtype=torch.float64)
    z = fourier(x, v)
    kernel = torch.exp(-torch.cdist(x, x).square() / 2)
    torch.testing.assert_close(z @ z.T, kernel, atol=0.02, rtol=0)
