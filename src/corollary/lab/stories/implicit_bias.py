"""Implicit bias."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _offset(seen: Seen) -> str:
    return (
        f"After {seen['steps']} steps on {seen['n']} points the margins follow their law "
        f"up to {short(seen.measured[0], 2)}."
    )


STORY = Story(
    title="Implicit bias",
    teaser="Nobody asked gradient descent for the largest margin. It finds it anyway.",
    claim="regularization/max_margin_direction",
    moves={"n": "points", "steps": "steps of gradient descent"},
    ends={"n": (4, 20), "steps": (2000, 6000)},
    figure=1,
    parts=(
        Part(
            "Two clouds of points can be separated by many lines, and the logistic loss likes "
            "all of them: scale any of them up and the loss goes to zero. There is no best "
            "solution to converge to, only directions. Which one does gradient descent choose?"
        ),
        Part(
            "The answer is the widest street: the line that stays as far from both clouds as "
            "possible, the support vector machine. There is no penalty in the loss and no "
            "constraint. The choice comes from the method alone, and so it is called implicit "
            "bias. Draw other data and see that it holds.",
            (
                Try("5 points", {"n": 5}),
                Try("14 points", {"n": 14}),
                Try("20 points", {"n": 20}),
            ),
            _offset,
        ),
        Part(
            "The reason is in the tail of the loss. It is exponential, so that after a while "
            "only the points with the smallest margin still pull. Each step turns the line a "
            "little towards treating these few equally, and that is the widest street. The turn "
            "is slow, like one over the logarithm of time: stop early, and you get another line."
        ),
        Part(
            "The same happens in larger models, with other notions of wide. Deep linear networks "
            "prefer low rank, and overparameterized regression finds the shortest fit. It is one "
            "of the best answers we have to the question of why huge networks generalize."
        ),
    ),
    claims={
        "regularization/slow_direction": "the direction converges like one over log t",
        "regularization/solution_line": "each start finds the perfect fit that is nearest to it",
        "landscape/singular_modes": "factored models learn large singular values first",
        "regularization/growing_margin": "the margin of a homogeneous network never shrinks",
    },
    picture=Picture("regularization/solution_line"),
    follows="scaling",
    exercise="11.3.2",
)
