import torch

from corollary.experiments.memories.hopfield import HopfieldLoad, intercept


def test_an_exact_line_is_continued_to_zero():
    limit, slope = intercept([0.1, 0.2, 0.4], [0.2, 0.3, 0.5])
    assert abs(limit - 0.1) < 1e-12 and abs(slope - 1) < 1e-12


def test_a_small_load_is_kept_and_a_large_one_lost():
    run = HopfieldLoad(neurons=200, probes=4)
    rng = torch.Generator().manual_seed(0)
    assert run.end_overlap(10, 200, rng) > 0.95 > 0.6 > run.end_overlap(60, 200, rng)
