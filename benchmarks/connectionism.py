"""The chapter on connectionism against its peers: ``python benchmarks/connectionism.py``."""

import numpy as np
import torch
from race import Race, main, race

from corollary.core import generator
from corollary.data.patterns import random_patterns, with_flipped_bits
from corollary.models.hopfield import Hopfield
from corollary.theory.connectionism.perceptron import perceptron_fit


def sphere_with_a_gap(n: int, d: int, gamma: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Uniform points of the unit sphere, labelled by a hyperplane none is closer to than gamma."""
    rng = generator(0, "benchmark", "perceptron")
    u = torch.randn(d, generator=rng, dtype=torch.float64)
    x = torch.randn(2 * n, d, generator=rng, dtype=torch.float64)
    x = x / x.norm(dim=1, keepdim=True)
    score = x @ (u / u.norm())
    x, score = x[score.abs() > gamma][:n].contiguous(), score[score.abs() > gamma][:n]
    assert len(x) == n, "the gap leaves too few points"
    return x, score.sign()


def perceptron() -> Race:
    """The online rule to its end, in a fixed order: every mistake is made and counted."""
    from sklearn.linear_model import Perceptron

    x, y = sphere_with_a_gap(10_000, 100, 0.01)
    points, labels = x.numpy(), y.numpy()
    fast, jump = (perceptron_fit(x, y, bias=False, backend=b) for b in ("numba", "torch"))
    assert torch.equal(fast.mistakes, jump.mistakes) and fast.converged, "the paths differ"

    def peer(**options: object) -> Perceptron:
        made = Perceptron(shuffle=False, fit_intercept=False, **options)
        return made.fit(points, labels)

    told = {"tol": None, "max_iter": fast.epochs}
    assert abs(peer(**told).coef_[0] - fast.w.numpy()).max() < 1e-9, "another hyperplane"
    stopped = peer()
    passes = [x.T.contiguous()] * fast.epochs
    return race(
        "Perceptron to convergence",
        {
            "corollary, numba": lambda: perceptron_fit(x, y, bias=False, backend="numba"),
            "corollary, torch": lambda: perceptron_fit(x, y, bias=False, backend="torch"),
            "sklearn, told when to stop": lambda: peer(**told),
            "sklearn, default stop": peer,
            "one product a pass": lambda: [fast.w @ points_t for points_t in passes],
        },
        reference="sklearn, told when to stop",
        floor="one product a pass",
        notes={
            "sklearn, told when to stop": f"max_iter={fast.epochs} from our count; counts none",
            "sklearn, default stop": f"accuracy {stopped.score(points, labels):.4f}, not 1",
            "one product a pass": "scores only, with the final weights",
        },
        facts={"n": 10_000, "d": 100, "mistakes": fast.updates, "passes": fast.epochs},
    )


def hopfield() -> Race:
    """Retrieval neuron by neuron, n = 1024 at load 0.1, 256 probes with a tenth of bits flipped."""
    rng = generator(0, "benchmark", "hopfield")
    patterns = random_patterns(100, 1024, rng=rng, dtype=torch.float32)
    probes = with_flipped_bits(patterns[torch.arange(256) % 100], 0.1, rng=rng)
    net = Hopfield.store(patterns)
    J, few = net.J.numpy(), probes[:8].numpy()

    def one_neuron_at_a_time() -> np.ndarray:
        """The definition, for 8 of the 256 probes."""
        ends = few.copy()
        for x in ends:
            for _ in range(5):
                before = x.copy()
                for i in range(len(x)):
                    x[i] = 1.0 if J[i] @ x >= 0 else -1.0
                if (x == before).all():
                    break
        return ends

    def all_probes_neuron_by_neuron() -> np.ndarray:
        """The same in NumPy with the batch as a vector, every field computed afresh."""
        S = probes.T.numpy().copy()
        for _ in range(5):
            before = S.copy()
            for i in range(len(S)):
                S[i] = np.where(J[i] @ S >= 0, 1.0, -1.0)
            if (S == before).all():
                break
        return S.T

    fast, blocks = (net.async_run(probes, max_sweeps=5, backend=b) for b in ("numba", "torch"))
    assert torch.equal(fast.states, blocks.states), "the paths differ"
    assert (fast.states[:8].numpy() == one_neuron_at_a_time()).all(), "not the definition's end"
    assert (fast.states.numpy() == all_probes_neuron_by_neuron()).all(), "not NumPy's end"
    return race(
        "Hopfield retrieval, asynchronous",
        {
            "corollary, numba": lambda: net.async_run(probes, max_sweeps=5, backend="numba"),
            "corollary, torch": lambda: net.async_run(probes, max_sweeps=5, backend="torch"),
            "NumPy, batch by neuron": all_probes_neuron_by_neuron,
            "NumPy, one neuron, 8 probes": one_neuron_at_a_time,
            "the first fields": lambda: probes @ net.J,
        },
        reference="NumPy, batch by neuron",
        floor="the first fields",
        notes={
            "NumPy, one neuron, 8 probes": "8 of the 256 probes: times 32 for the batch",
            "the first fields": "one matrix product",
        },
        facts={"n": 1024, "s": 100, "probes": 256, "flips": int(fast.flips.sum())},
    )


if __name__ == "__main__":
    main(perceptron, hopfield)
