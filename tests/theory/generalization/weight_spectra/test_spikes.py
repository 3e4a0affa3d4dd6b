import numpy as np
import pytest
import torch

from corollary.errors import InputError
from corollary.theory.generalization.weight_spectra.marchenko_pastur import (
    MarchenkoPastur,
    random_spectrum,
)
from corollary.theory.generalization.weight_spectra.spikes import (
    spike_place,
    spike_size,
    spikes,
    visible_from,
)
from corollary.theory.generalization.weight_spectra.tracy_widom import largest_eigenvalue_scale


def planted(p, n, thetas, sigma, seed):
    rng = torch.Generator().manual_seed(seed)
    w = sigma * torch.randn(p, n, generator=rng, dtype=torch.float64)
    u = torch.linalg.qr(torch.randn(p, len(thetas), generator=rng, dtype=torch.float64)).Q
    v = torch.linalg.qr(torch.randn(n, len(thetas), generator=rng, dtype=torch.float64)).Q
    return torch.linalg.svdvals(w + (u * torch.tensor(thetas)) @ v.T).square()


@pytest.mark.parametrize("p, n", [(10, 40), (40, 40), (64, 128)])
def test_pure_noise_has_a_spike_as_rarely_as_stated(p, n):
    rng = torch.Generator().manual_seed(0)
    drawn = [random_spectrum(p, n, rng=rng) for _ in range(300)]
    alarms = np.mean([spikes(values, n, delta=0.05).count > 0 for values in drawn])
    assert alarms < 0.05 + 4 * (0.05 / 300) ** 0.5


@pytest.mark.parametrize("times", [1.5, 2.0, 5.0])
def test_above_the_transition_a_spike_sits_where_it_is_predicted(times):
    p, n, sigma = 150, 250, 0.1
    theta = times * visible_from(p, n, sigma**2)
    top = [float(planted(p, n, [theta], sigma, seed)[0]) for seed in range(8)]
    assert np.mean(top) == pytest.approx(spike_place(theta, p, n, sigma**2), rel=0.05)
    assert spike_size(float(np.mean(top)), p, n, sigma**2) == pytest.approx(theta, rel=0.04)


def test_below_the_transition_a_spike_is_not_visible():
    p, n = 150, 250
    edge = MarchenkoPastur(p, n).edges[1]
    theta = 0.7 * visible_from(p, n)
    spectra = [planted(p, n, [theta], 1.0, seed) for seed in range(8)]
    centre, scale = largest_eigenvalue_scale(p, n)  # of pure noise, with mean -1.2065 scales
    top = np.mean([float(s[0]) for s in spectra])
    assert top == pytest.approx(centre - 1.2065 * scale, rel=0.03)
    assert sum(spikes(s, n).count for s in spectra) == 0
    assert spike_place(theta, p, n) == edge and spike_size(0.99 * edge, p, n) == 0.0


def test_as_many_spikes_are_counted_as_were_planted():
    thetas = [40.0, 60.0, 80.0, 300.0]  # visible from 16.3 on
    found = spikes(planted(200, 350, thetas, 1.0, 0), 350)
    assert found.count == 4
    assert found.variance == pytest.approx(1.0, rel=0.02)
    sizes = [spike_size(v, 200, 350, found.variance) for v in found.values]
    assert sizes == pytest.approx(thetas[::-1], rel=0.1)


def test_no_bulk_is_found_in_a_matrix_of_low_rank():
    found = spikes(torch.cat([torch.zeros(30), torch.ones(10)]), 50)
    assert found.variance == 0.0 and found.count == 10


def test_sizes_that_are_none_are_refused():
    with pytest.raises(InputError, match="positive sizes"):
        visible_from(0, 3)
