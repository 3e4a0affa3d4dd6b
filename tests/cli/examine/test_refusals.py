"""What the command refuses, and in which words."""

import re
import sys

import pytest

from corollary.errors import CorollaryError, InputError
from corollary.examine.first_pass import NO_OUTPUT

QUICK = ("--only", "soundness/finite", "--budget", "20")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "expected a target such as net.py:build"),
        (["nets.py:net", "--demo"], "--demo without a target"),
        (["nets.py:net", "--budget", "soon"], "expected a time such as 90s or 2m for --budget"),
        (["nets.py:net", "--budget", "-3"], "expected a time such as 90s or 2m"),
        (["nets.py:net", "--only", "beauty"], "there is no question or exam 'beauty'"),
        (["nets.py:net", "--out", "."], "cannot be written (the path is a folder)"),
        (["nets.py:net", "--json", "/proc/no/f.json"], "cannot be written"),
        (["nets.py:net", "--compare", "nothing.json"], "nothing.json cannot be read (No such file"),
        (["nets.py:net", "--compare", "broken.csv"], "broken.csv is not valid JSON (line 1"),
    ],
)
def test_wrong_usage_is_one_sentence_before_anything_runs(examined, words, sentence):
    code, out, err = examined(*words)
    assert code == 2 and sentence in err and err.count("\n") == 1 and not out


TARGETS = [
    ("nothing", "expected file.py:name or package.module:name, such as net.py:build, got"),
    ("nothing.py:build", "there is no file nothing.py"),
    ("nets.py:absent", "has no 'absent'; it has net, data"),
    ("nets.py:number", "to be or to return a torch.nn.Module, got type int"),
    ("a_module_that_is_not_there:x", "cannot be imported"),
    ("raises.py:x", "raises.py stopped with RuntimeError: at import"),
    ("syntax.py:x", "SyntaxError"),
    ("absent.py:x", "No module named 'a_module_that_is_not_there'"),
    ("nets.py:unbuildable", "stopped with ValueError: cannot build at all"),
    ("nets.py:leaves", "the code of nets.py:leaves raised SystemExit"),
    ("nets.py:too_large", "too_large needs more memory than allowed; see --memory"),
    ("nets.py:needs", "missing 1 required positional argument: 'width'"),
    ("nothing.safetensors", "there is no file nothing.safetensors"),
    ("junk.safetensors", "is not a checkpoint of corollary, or it is damaged"),
]
DATA = [
    ("nothing", "there is no data set 'nothing'; give two_moons, digits"),
    ("nothing.npz", "there is no file nothing.npz"),
    ("nothing.csv", "there is no file nothing.csv"),
    ("broken.npz", "broken.npz cannot be read as an .npz of numbers"),
    ("empty.npz", "empty.npz cannot be read as an .npz of numbers"),
    ("broken.csv", "could not convert string 'x'"),
    ("empty.csv", "(the file is empty)"),
    ("nets.py:empty", "the data has no samples"),
    ("nets.py:uneven", "the same number of samples, got 4, 5"),
    ("nets.py:number", "got int"),
    ("nets.py:nothing", "from 'nets.py:nothing', got None"),
    ("nets.py:texts", "expected numbers in the data, got an array of <U1"),
    ("nets.py:breaks", "nets.py:breaks stopped with OSError: disk gone"),
    ("nets.py:whole", "convert the inputs to the dtype of the weights with x.to(torch.float32)"),
    ("keys.npz", "expected the arrays x and y in keys.npz, got a, b, c"),
    ("hollow.npz", "expected the arrays x and y in hollow.npz, got none"),
    ("words.npz", "words.npz cannot be read as an .npz of numbers"),
    ("text.csv", "'red' to float64 at row 0, column 2; encode text as numbers)"),
    ("ragged.csv", "(the number of columns changed from 3 to 2 at row 2)"),
    ("nets.py:wide", "Sequential cannot be called with the data (input 0 32×5 float32"),
]
LOSSES = [
    ("nonsense", "expected the loss cross_entropy, mse, bce"),
    (
        "nets.py:number",
        "expected a function of (output, target) as the loss",
    ),
    (
        "nets.py:vector_loss",
        "expected a loss that returns one number, got a tensor of shape (32, 2)",
    ),
    ("nets.py:odd_loss", "the loss does not fit the output of Sequential"),
    ("nets.py:number_loss", "expected a loss that returns one number, got type float"),
    ("mse", "the loss does not fit the output of Sequential"),
]
MODELS = [
    (
        "GivesNothing",
        "GivesNothing returns nothing that can be examined: its forward returns",
    ),
    ("Lazy", "call the module with one batch first"),
    ("Raises", "RuntimeError: no way second line"),
    ("DiesAtOnce", "was not examined: the process ended with exit code 7"),
]
UNFIT = [
    *((["nets.py:net" if t is None else t], s) for t, s in TARGETS),
    *((["nets.py:net", "--data", d], s) for d, s in DATA),
    *((["nets.py:both", "--loss", name], s) for name, s in LOSSES),
    *(([f"nets.py:{m}", "--data", "nets.py:data"], s) for m, s in MODELS),
    (["nets.py:Hangs", "--data", "nets.py:data", "--budget", "1"], "did not end within the budget"),
    (["nets.py:Greedy", "--data", "nets.py:data", "--memory", "1"], "out of memory; see --memory"),
    (["nets.py:both", "--lr", "-1"], "lr must be positive"),
    (["nets.py:both", "--lr", "inf"], "expected a positive learning rate, got inf"),
    (
        ["nets.py:net", "--data", "nets.py:fractions", "--loss", "cross_entropy"],
        "class labels must be integers; use y.long()",
    ),
]


@pytest.mark.slow  # two imports of torch each; the same sentences are tested in process below
@pytest.mark.parametrize(("words", "sentence"), UNFIT, ids=[w[-1] for w, _ in UNFIT])
def test_what_cannot_be_examined_gets_one_sentence_and_overwrites_nothing(
    examined, tmp_path, words, sentence
):
    kept = [tmp_path / "r.html", tmp_path / "r.json"]
    for path in kept:
        path.write_text("as it was")
    files = ("--out", kept[0], "--json", kept[1])
    code, out, err = examined(*words, *(QUICK if "--budget" not in words else ()), *files)
    assert code == 2 and sentence in err and err.count("\n") == 1 and not out
    assert [path.read_text() for path in kept] == ["as it was"] * 2


# What ends or starves its process is for the command alone.
HARMFUL = ("nets.py:DiesAtOnce", "nets.py:leaves", "nets.py:Greedy", "nets.py:too_large")
HARMLESS = [(words, sentence) for words, sentence in UNFIT if words[0] not in HARMFUL]


@pytest.mark.parametrize(("words", "sentence"), HARMLESS, ids=[w[-1] for w, _ in HARMLESS])
def test_what_cannot_be_examined_is_an_input_error(folder, monkeypatch, words, sentence):
    from corollary.examine.prepare import load_subject

    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("nets", "raises", "syntax", "absent"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    options = dict(zip((w.removeprefix("--") for w in words[1::2]), words[2::2], strict=True))
    order = {"target": words[0], "seed": 0, "budget": float(options.pop("budget", 20))} | options
    with pytest.raises(CorollaryError, match=re.escape(sentence)):
        load_subject(order | ({"lr": float(options["lr"])} if "lr" in options else {}))


@pytest.mark.parametrize("data", ["nets.py:arrays", "swapped.npz"])
def test_arrays_are_taken_and_the_target_is_known_by_its_name(folder, monkeypatch, data):
    from corollary.examine.prepare import load_subject

    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "nets", raising=False)
    order = {"target": "nets.py:net", "data": data, "seed": 0, "budget": 20.0}
    assert load_subject(order).batch.describe() == {"input 0": "64×2 float32", "target": "64 int64"}


def test_a_label_without_an_output_is_a_finding_and_training_refuses_it(folder, monkeypatch):
    from corollary.examine.prepare import load_subject

    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "nets", raising=False)
    order = {"target": "nets.py:net", "data": "nets.py:numbered_from_five", "seed": 0, "budget": 20}
    assert load_subject(order).memo[NO_OUTPUT]
    with pytest.raises(
        InputError, match="labels must be numbered from 0, with one output per class"
    ):
        load_subject(order, to_train=True)
