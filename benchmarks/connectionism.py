"""The chapter on connectionism against its peers: ``python benchmarks/connectionism.py``."""

import torch
from race import Race, main, race

from corollary.core import generator
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


if __name__ == "__main__":
    main(perceptron)
