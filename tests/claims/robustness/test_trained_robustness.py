from corollary.claims.robustness.trained_robustness import TrainedRobustness

SMALL = TrainedRobustness(d=100, sizes=(2, 3, 4, 6), width=10, steps=100, draws=2)


def test_the_construction_is_outside_the_claim_and_hardly_depends_on_m():
    built = next(SMALL.without(SMALL.draw(0)))
    assert built.broken == ("the network is trained by gradient descent",)
    assert max(built.measured.values) < 1.5 * min(built.measured.values)
