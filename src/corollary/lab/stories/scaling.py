"""Scaling."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _exponent(seen: Seen) -> str:
    d = int(seen["d"])
    cells = "twice" if d == 1 else f"{2**d} times"
    return (
        f"In {d} {'dimension' if d == 1 else 'dimensions'}, the error falls with exponent "
        f"{short(seen.measured[0])} (theory: {short(seen.predicted[0])}). Half the error needs "
        f"{cells} as many cells, and a tenth of the error needs {short(10**d)} times as many."
    )


STORY = Story(
    title="Scaling",
    teaser="With ten times the data, the loss drops by a factor that you can compute.",
    claim="approximation/grid_rate",
    moves={"d": "dimension of the data"},
    options={"d": 2},
    parts=(
        Part(
            "Plot the loss of a model against its size or its data, both on a logarithmic scale, "
            "and you often get a straight line. Its slope says how much more data the next digit "
            "of accuracy needs. Where do such power laws come from?"
        ),
        Part(
            "The simplest model with a power law is a table: cut the input space into cells, and "
            "store one value per cell. A smooth function changes little inside a small cell. With "
            ":math:`N` cells in :math:`d` dimensions, each cell has width :math:`N^{-1/d}`, and "
            "the error is proportional to that width. Raise the dimension and watch the line "
            "flatten.",
            (
                Try("a curve", {"d": 1}),
                Try("a surface", {"d": 2}),
                Try("five dimensions", {"d": 5}),
            ),
            _exponent,
        ),
        Part(
            "What counts is the dimension of the data, not the number of pixels. Images lie near a "
            "surface of perhaps a few dozen dimensions. This is one explanation of the small "
            "exponents, around 0.1, that people measure for large models."
        ),
        Part(
            "Networks can do better than tables. If the target has structure, as in Barron's "
            "theorem, the exponent does not depend on the dimension at all."
        ),
    ),
    claims={
        "approximation/barron_rate": "a rate that does not depend on the dimension",
        "approximation/fixed_basis_rate": "the rate of a fixed basis depends on the dimension",
        "geometry/intrinsic_dimension": "data near a manifold have the dimension of the manifold",
        "generalization/barron_width": "the best width grows with the data",
    },
    picture=Picture("approximation/grid_rate"),
    follows="over_smoothing",
    exercise="4.4.2",
)
