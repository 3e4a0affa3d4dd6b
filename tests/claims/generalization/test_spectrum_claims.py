"""Noise has a spectrum, and a signal in it shows from a threshold on."""

import numpy as np
import pytest
import torch

from corollary.claims.generalization.marchenko_pastur import Given as Noise
from corollary.claims.generalization.marchenko_pastur import NoiseSpectrum, spectra
from corollary.claims.generalization.spike_transition import Given, SpikeTransition, largest
from corollary.core import Verdict, generator


@pytest.mark.parametrize("entries", ["signs", "uniform"])
@pytest.mark.parametrize("ratio", [0.1, 1.0])
def test_the_spectrum_of_noise_does_not_depend_on_the_law_of_its_entries(entries, ratio):
    assert NoiseSpectrum(entries=entries, ratio=ratio, p=128).check(1).verdict is Verdict.HOLDS


def test_the_eigenvalues_are_those_of_numpy():
    w = torch.randn(1, 5, 9, generator=generator(0, "x"), dtype=torch.float64)
    singular = np.linalg.svd(w[0].numpy(), compute_uv=False)
    assert np.allclose(spectra(w)[0].numpy()[::-1], singular**2 / 9, rtol=1e-12)


def test_entries_without_a_fourth_moment_are_outside_the_claim():
    claim = NoiseSpectrum(p=64)
    noise = tuple(w**5 / 945**0.5 for w in claim.given(generator(0, "x")).noise)
    assert claim.check_given(Noise(noise)).verdict is Verdict.INAPPLICABLE
    broken = [h.statement for h in claim.hypotheses(Noise(noise)) if not h.holds]
    assert "the entries have a finite fourth moment" in broken
    assert "the entries have mean 0" not in broken


def test_without_noise_the_largest_eigenvalue_is_the_signal():
    # theta^2 / n with theta = 2 (pn)^(1/4) is 4 sqrt(p / n)
    found = largest(torch.zeros(1, 4, 16, dtype=torch.float64), 2.0)
    assert found.item() == pytest.approx(2.0, rel=1e-12)


def test_twice_the_threshold_is_where_half_of_it_would_be_said_to_be():
    noise = torch.zeros(1, 4, 16, dtype=torch.float64)
    above, below = SpikeTransition().predict(Given(noise, (2.0, 0.5)))
    assert above == below == 3.375  # (1 + 4/2)(1 + 1/8)


@pytest.mark.parametrize("ratio", [0.2, 1.0])
def test_the_place_of_a_signal_holds_for_other_shapes(ratio):
    claim = SpikeTransition(ratio=ratio, draws=60)
    assert claim.check_given(claim.draw(2)).verdict is Verdict.HOLDS


def test_a_signal_below_the_threshold_leaves_no_trace():
    w = torch.randn(4, 150, 300, generator=generator(1, "x"), dtype=torch.float64)
    moved = largest(w, 0.5) - largest(w, 0.0)
    assert moved.abs().max() < 0.05  # of 2.9; a signal at twice the threshold moves it by 1.5
    assert (largest(w, 2.0) - largest(w, 0.0)).min() > 1
