import torch

from corollary.experiments.kernels.digits import KernelDigits, balanced, standard_rows


def test_the_kernel_is_the_recursion_of_the_paper():
    x = standard_rows(torch.rand(4, 3, 3, generator=torch.Generator().manual_seed(0)))
    w, b, depth = 1.45, 0.28, 3
    q = w * (x @ x.T / x.shape[1]) + b
    for _ in range(depth):
        s = q.diagonal().rsqrt()
        c = (s[:, None] * q * s).clamp(-1, 1)
        relu = (torch.sin(c.acos()) + (torch.pi - c.acos()) * c) / (2 * torch.pi)
        q = w * relu / (s[:, None] * s) + b
    net = KernelDigits(depth=depth, sigma_w2=w, sigma_b2=b)._net()
    torch.testing.assert_close(net.nngp(x), q, rtol=1e-6, atol=1e-8)


def test_a_training_set_has_equally_many_digits_of_each_class():
    y = torch.randint(5, (200,), generator=torch.Generator().manual_seed(1))
    some = balanced(y, 7, seed=3)
    assert torch.bincount(y[some]).tolist() == [7] * 5 and len(set(some.tolist())) == 35
