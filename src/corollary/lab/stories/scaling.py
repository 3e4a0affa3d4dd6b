"""Scaling."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _exponent(seen: Seen) -> str:
    d = int(seen["d"])
    cells = "twice" if d == 1 else f"{2**d} times"
    return (
        f"In {d} {'dimension' if d == 1 else 'dimensions'} the error falls with exponent "
        f"{short(seen.measured[0])} (theory: {short(seen.predicted[0])}). To halve it takes "
        f"{cells} as many cells, to get one more digit {short(10**d)} times."
    )


STORY = Story(
    title="Scaling",
    teaser="Ten times the data, and the loss drops by a factor that you can compute.",
    claim="approximation/grid_rate",
    moves={"d": "dimension of the data"},
    options={"d": 2},
    parts=(
        Part(
            "Plot the loss of a model against its size or its data, both on a logarithmic scale, "
            "and you often get a straight line. Its slope decides what the next digit of "
            "accuracy costs. Where do such power laws come from?"
        ),
        Part(
            "The plainest model that has one is a table: cut the space of inputs into cells, and "
            "remember one value for each. A smooth function changes little inside a small cell. "
            "With :math:`N` cells in :math:`d` dimensions a cell is :math:`N^{-1/d}` wide, and so "
            "is the error. Raise the dimension and watch the line flatten.",
            (
                Try("a curve", {"d": 1}),
                Try("a surface", {"d": 2}),
                Try("five dimensions", {"d": 5}),
            ),
            _exponent,
        ),
        Part(
            "The dimension that counts is that of the data, not that of the pixels. Images lie "
            "near a surface of perhaps a few dozen dimensions. That is one explanation of the "
            "small exponents that people measure for large models, around 0.1: the curse of "
            "dimensionality, softened but not lifted."
        ),
        Part(
            "Networks can do better than tables. Where the target has structure, as in Barron's "
            "theorem, the exponent does not depend on the dimension at all. Learning which "
            "structure your data have is what the parameters are for."
        ),
    ),
    claims={
        "approximation/barron_rate": "a rate with no dimension in it",
        "approximation/fixed_basis_rate": "a fixed basis pays for the dimension",
        "geometry/intrinsic_dimension": "data near a manifold have its dimension",
        "generalization/barron_width": "the best width grows with the data",
    },
    picture=Picture("approximation/grid_rate"),
    follows="over_smoothing",
    exercise="4.4.2",
)
