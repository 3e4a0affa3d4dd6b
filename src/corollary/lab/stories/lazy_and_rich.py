"""Lazy and rich."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _error(seen: Seen) -> str:
    return (
        f"Width {seen['m']}, weights moved by {short(float(seen['distance']))}: the tanh network "
        f"is {short(seen.measured[0])} away from its linearization, and the bound allows "
        f"{short(seen.predicted[0])}."
    )


def _needed(seen: Seen) -> str:
    m, distance = int(seen["m"]), float(seen["distance"])
    return (
        f"At twice the distance, {short(2 * distance)}, you would need sixteen times the width, "
        f"{short(16.0 * m)}, for the same error."
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
            "Training moves weights. In a very wide network each weight has to move so little "
            "that the network never leaves the neighbourhood in which it is a straight line in "
            "its weights. There it is a kernel machine: it combines the features it was born "
            "with. That regime is called lazy. The other one, in which features themselves "
            "change, is called rich."
        ),
        Part(
            "How straight is the network? Move its weights by a given distance and compare it "
            "with its tangent at the start. The curve is the theorem, the dots are networks; the "
            "error falls like one over the root of the width.",
            (
                Try("a small move", {"distance": 0.1}),
                Try("a large move", {"distance": 5.0}),
                Try("10 000 units", {"m": 10_000}),
            ),
            _error,
        ),
        Part(
            "The distance counts twice. An error that grows with the square of the move and "
            "falls with the root of the width means that a network which has to move far needs "
            "an absurd width to stay lazy. Real networks do move far.",
            (),
            _needed,
        ),
        Part(
            "Neither regime is better everywhere. Lazy networks come with guarantees, because a "
            "kernel is something we understand. Rich ones find the few directions that matter "
            "and need fewer samples. The playground measures which regime you are in while you "
            "train: it shows how far the tangent kernel has turned."
        ),
    ),
    claims={
        "kernels/ntk_constancy": "the tangent kernel of a wide network stays put",
        "kernels/finite_beats_kernel": "a finite network beats its kernel where features matter",
        "kernels/ntk_ensemble": "an ensemble of wide networks, as on the card of this story",
        "kernels/ntk_regression": "infinitely wide training is kernel regression",
    },
    picture=Picture("kernels/ntk_ensemble"),
    follows="dead_relu",
    preset="lazy",
    exercise="6.4.2",
)
