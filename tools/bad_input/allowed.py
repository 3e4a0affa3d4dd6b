"""Where NaN in an argument may give a finite number, and why."""

FOOLED = "an input on which the network answers NaN counts as fooled, where it stands: the worst"
WRONG = "a sample to which the network answers NaN counts as an error: the worst"

# Function (or the beginning of its name), end of the place in the result, reason.
ALLOWED = [
    ("theory.robustness.", "fooled", FOOLED),
    ("theory.robustness.", ".x", FOOLED),
    ("theory.robustness.", ".delta", FOOLED),
    ("theory.robustness.", ".fell_at", FOOLED),
    ("theory.robustness.attack.judged", ".loss", "the loss after the attack; that before is NaN"),
    ("theory.robustness.boundaries.", "", FOOLED),
    ("theory.robustness.ascent.ascend", "", FOOLED),
    ("theory.robustness.goals.Goal.hit", "", FOOLED),
    ("theory.robustness.scores.is_fooled", "", FOOLED),
    ("theory.robustness.balls.steepest", "", "a slope that is NaN points nowhere: no step"),
    ("theory.robustness.gradient_attacks.FGSM.inputs", "", "no slope, no step, as above"),
    ("train.pac_bayes.gibbs.gibbs_error", "", WRONG),
    ("train.pac_bayes.holdout.errors", "", WRONG),
    ("theory.robustness.certificates.activations.kinked_lines", ".low", "0 is below any ReLU"),
    ("theory.prerequisites.norms.norm_violation", "", "a function that gives NaN is no norm"),
    ("theory.modules.trace.executed", "", "it lists operations, with the caller's own modules"),
    ("theory.expressivity.regions.program.resized", "", "NaN is no size, so nothing is resized"),
]


def is_allowed(function: str, path: str) -> bool:
    """Whether a number at this place of the result may be finite though an argument is NaN."""
    return any(function.startswith(name) and path.endswith(end) for name, end, _ in ALLOWED)
