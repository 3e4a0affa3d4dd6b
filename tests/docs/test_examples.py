import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SHORT = {  # a few steps only; the whole run takes more than three seconds and is slow
    "attention_reverses": {"steps": 5},
    "edge_of_stability": {"steps": 30},
    "linear_regions": {"steps": 5},
}
LONG = {
    *SHORT,
    "attack_and_proof",
    "double_descent",
    "examine_and_fix",
    "kernel_digits",
    "network_from_scratch",
    "pac_bayes",
    "wide_network",
}
WHOLE = [
    pytest.param(p, marks=pytest.mark.slow if p.stem in LONG else (), id=p.stem) for p in EXAMPLES
]


def load(path: Path, monkeypatch):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def no_window(monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    sys.modules["matplotlib.pyplot"].close("all") if "matplotlib.pyplot" in sys.modules else None


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
@pytest.mark.parametrize("path", WHOLE)
def test_main_runs_and_draws(path, monkeypatch):
    main = load(path, monkeypatch).main
    assert main.__doc__
    assert main() is not None
    assert sys.modules["matplotlib.pyplot"].get_fignums()


@pytest.mark.parametrize("stem", SHORT)
def test_a_short_run_draws_as_well(stem, monkeypatch):
    main = load(ROOT / "examples" / f"{stem}.py", monkeypatch).main
    assert main(**SHORT[stem]) is not None
    assert sys.modules["matplotlib.pyplot"].get_fignums()


def test_the_mistakes_of_the_example_stay_below_the_bound(monkeypatch):
    module = load(ROOT / "examples" / "perceptron_margin.py", monkeypatch)
    for gamma in module.GAMMAS:
        bound, count = module.mistakes(gamma, 3)
        assert 0 < count <= bound


def test_the_damaged_pictures_are_recalled_without_a_fault(monkeypatch):
    module = load(ROOT / "examples" / "hopfield_recall.py", monkeypatch)
    assert module.main().tolist() == [1.0] * 4


def test_the_claim_of_the_tutorial_holds_can_fail_and_has_a_counterexample(monkeypatch):
    from corollary.core.contract import complaints

    claim = load(ROOT / "docs" / "snippets" / "sign_average.py", monkeypatch).SignAverage()
    for seed in range(3):
        result = claim.check(seed)
        assert result.verdict == "holds" and result.counterexample.fails
        (predicted,) = result.predicted
        given = claim.given(__import__("torch").Generator().manual_seed(seed))
        for wrong in claim.relation.mutants(predicted, loose=True):
            assert claim.relation.compare(wrong, claim.measure(given)).verdict == "fails"
    assert complaints(claim, {"kind": "bound", "cost": "instant"}) == []


def test_the_exam_of_the_tutorial_tells_many_parameters_from_few(monkeypatch):
    import torch

    from corollary.core import Budget, Severity, Subject

    exam = load(ROOT / "docs" / "snippets" / "many_parameters.py", monkeypatch).ManyParameters()
    data = torch.zeros(8, 2), torch.zeros(8, 1)
    for width, severity in ((2, Severity.LOW), (1, Severity.NONE)):
        model = torch.nn.Sequential(torch.nn.Linear(2, width), torch.nn.Linear(width, 1))
        (found,) = exam.examine(Subject(model, data), Budget.of(1.0))
        count = sum(p.numel() for p in model.parameters())
        assert found.severity is severity and found.value.value == count / 8
