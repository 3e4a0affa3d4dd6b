"""Lazy and rich."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _error(seen: Seen) -> str:
    return (
        f"At width {seen['m']}, the weights move by {short(float(seen['distance']))}. The tanh "
        f"network then differs from its linearization by {short(seen.measured[0])}; the bound is "
        f"{short(seen.predicted[0])}."
    )


def _needed(seen: Seen) -> str:
    m, distance = int(seen["m"]), float(seen["distance"])
    return (
        f"If the weights moved twice as far, by {short(2 * distance)}, the same error would need "
        f"sixteen times the width, {short(16.0 * m)}."
    )


STORY = Story(
    title="Lazy and rich",
    teaser="A wide network can fit its data without learning a single feature.",
    claim="kernels/linearisation_error",
    moves={"distance": "how far the weights move", "m": "width", "d": "inputs"},
    ends={"m": (10, 10_000), "distance": (0.01, 10.0), "d": (1, 50)},
    figure=1,
    parts=(
        Part(
            "Training changes the weights. In a very wide network each weight changes so little "
            "that the output stays almost linear in the weights. The network then acts as a kernel "
            "machine: it combines the features that it had at initialization. This regime is "
            "called lazy. The regime in which the features themselves change is called rich."
        ),
        Part(
            "How close to linear is the network? Move its weights by a given distance, and "
            "compare its output with the linearization at initialization. The curve is the bound "
            "of the theorem, and the dots are networks. The error falls like one over the square "
            "root of the width.",
            (
                Try("a small move", {"distance": 0.1}),
                Try("a large move", {"distance": 5.0}),
                Try("10 000 units", {"m": 10_000}),
            ),
            _error,
        ),
        Part(
            "The error grows with the square of the distance, but falls only with the square root "
            "of the width. So a network whose weights have to move far needs an extreme width to "
            "stay lazy. The weights of real networks do move far.",
            (),
            _needed,
        ),
        Part(
            "Neither regime is always better. Lazy networks come with guarantees, because kernel "
            "methods are well understood. Rich networks find the few directions that matter, so "
            "they need fewer samples. The playground shows the regime during training: it measures "
            "how much the tangent kernel has changed."
        ),
    ),
    claims={
        "kernels/ntk_constancy": "the tangent kernel of a wide network hardly changes",
        "kernels/finite_beats_kernel": (
            "a finite network is better than its kernel where features matter"
        ),
        "kernels/ntk_ensemble": "an ensemble of wide networks, as on the card of this story",
        "kernels/ntk_regression": "infinitely wide training is kernel regression",
    },
    picture=Picture("kernels/ntk_ensemble"),
    follows="dead_relu",
    preset="lazy",
    exercise="6.4.2",
)
