import torch

from corollary.claims.optimization._edge import course, divisors, drawn, images, sharpness
from corollary.claims.optimization.edge_of_stability import EdgeOfStability
from corollary.claims.optimization.edge_of_stability_adam import EdgeOfStabilityAdam

RNG = torch.Generator


def test_the_power_method_finds_the_preconditioned_eigenvalue():
    w = torch.tensor([1.0, 1.0], dtype=torch.float64, requires_grad=True)
    H, P = torch.tensor([3.0, 8.0]).double(), torch.tensor([1.0, 4.0]).double()
    value, v = 0.0, [torch.ones(2, dtype=torch.float64)]
    for _ in range(10):
        value, v = sharpness((H * w.square()).sum() / 2, [w], [P], v)
    assert abs(value - 3.0) < 1e-6  # 3 / 1 against 8 / 4


def test_limits_are_two_and_thirty_eight_over_the_learning_rate():
    assert EdgeOfStability().predict(EdgeOfStability(runs=2).draw(0))[0] == 1.1 * 2 / 0.4
    adam = EdgeOfStabilityAdam().predict(EdgeOfStabilityAdam(runs=2).draw(0))[0]
    assert abs(adam - 1.25 * 38 / 0.01) < 1e-6


def test_a_short_run_with_a_small_learning_rate_stays_below_the_edge():
    rng = RNG().manual_seed(0)
    x, t = images(20, rng)
    net = drawn("CNN", rng)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.004)
    found = course(net, x, t, optimizer, 41, 20, rng)
    assert found.settled < 0.1 * 2 / 0.004
    assert found.losses[-1] < found.losses[0]
    assert divisors(optimizer) == [1.0] * len(list(net.parameters()))
