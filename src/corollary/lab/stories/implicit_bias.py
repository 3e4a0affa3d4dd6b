"""Implicit bias."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _offset(seen: Seen) -> str:
    return (
        f"After {seen['steps']} steps on {seen['n']} points, the margins differ from the predicted "
        f"ones by at most {short(seen.measured[0], 2)}."
    )


STORY = Story(
    title="Implicit bias",
    teaser="Gradient descent converges to the direction of largest margin, without any penalty.",
    claim="regularization/max_margin_direction",
    moves={"n": "points", "steps": "steps of gradient descent"},
    ends={"n": (4, 20), "steps": (2000, 6000)},
    figure=1,
    parts=(
        Part(
            "Two clouds of points can be separated by many lines. For each of these lines, the "
            "logistic loss goes to zero as the weights grow. So the loss has no minimum, and only "
            "the direction of the weights can converge. Which direction does gradient descent "
            "choose?"
        ),
        Part(
            "Gradient descent chooses the line that stays as far from both clouds as possible: "
            "the line of the support vector machine. The loss has no penalty and no constraint. "
            "The choice comes from the optimization method alone, so it is called implicit bias. "
            "Draw other data, and you see the same.",
            (
                Try("5 points", {"n": 5}),
                Try("14 points", {"n": 14}),
                Try("20 points", {"n": 20}),
            ),
            _offset,
        ),
        Part(
            "The reason is the exponential tail of the loss. After a while only the points with "
            "the smallest margin still contribute to the gradient. Each step turns the line a "
            "little until all of these points have the same margin. That line has the largest "
            "margin. The turn is slow, like one over the logarithm of the number of steps. If you "
            "stop early, you get another line."
        ),
        Part(
            "Larger models have an implicit bias too. Deep linear networks prefer low rank, and "
            "overparameterized regression finds the exact fit with the smallest weights. Implicit "
            "bias is one of the best explanations of why huge networks generalize."
        ),
    ),
    claims={
        (
            "regularization/slow_direction"
        ): "the direction of the weights converges like one over log t",
        "regularization/solution_line": (
            "gradient descent finds the exact fit that is nearest to its start"
        ),
        "landscape/singular_modes": "linear networks learn large singular values first",
        "regularization/growing_margin": "the margin of a homogeneous network never shrinks",
    },
    picture=Picture("regularization/solution_line"),
    follows="scaling",
    exercise="11.3.2",
)
