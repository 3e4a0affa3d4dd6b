"""Attention as memory."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _read(seen: Seen) -> str:
    worst, bound = max(seen.measured), max(seen.predicted)
    guarantee = (
        f"the theorem guarantees {short(bound)}"
        if bound < 1
        else "the theorem gives no useful bound yet"
    )
    return (
        f"With {seen['N']} memories and inverse temperature {short(float(seen['beta']))}, the "
        f"largest error of recall is {short(worst)}, and {guarantee}."
    )


STORY = Story(
    title="Attention as memory",
    teaser="The attention of a transformer is a memory that recalls in a single step.",
    claim="connectionism/modern_hopfield_one_step",
    moves={
        "beta": "inverse temperature β",
        "N": "memories",
        "radius": "error of the query",
    },
    ends={"beta": (0.05, 10.0), "N": (2, 60), "radius": (0.0, 1.0)},
    parts=(
        Part(
            "Take a list of vectors, the keys. Given a query, weight every key by the softmax of "
            "its dot product with the query, and return the weighted mean. That is attention. The "
            "same formula is one update of a modern Hopfield network, which is a memory: the query "
            "is a damaged pattern, and the answer is the stored pattern."
        ),
        Part(
            "How exact is the recall? The error depends on how well the memories are separated, "
            "and on the inverse temperature: a higher one makes the softmax sharper. The curve is "
            "the guaranteed error, the dots are measured errors. Both fall exponentially.",
            (
                Try("low temperature: sharp", {"beta": 5.0}),
                Try("warm", {"beta": 0.5}),
                Try("high temperature: a mean of all", {"beta": 0.05}),
            ),
            _read,
        ),
        Part(
            "Now add an error to the query, or store more memories. As long as the query is "
            "clearly nearer to its own pattern than to the others, one step repairs it. With too "
            "many memories, or at too high a temperature, the answer is a mean of several "
            "memories. An attention head in this state attends to everything equally.",
            (
                Try("query error 1", {"radius": 1.0}),
                Try("60 memories", {"N": 60}),
            ),
        ),
        Part(
            "This is why transformers divide the dot products by the square root of the dimension. "
            "The division sets the temperature. Without it, dot products grow with the dimension, "
            "the softmax saturates, and the gradient vanishes."
        ),
    ),
    claims={
        "connectionism/modern_hopfield_attention": "one Hopfield update is one attention step",
        "connectionism/dense_memory_capacity": "how many memories such a network holds",
        "sequences/softmax_saturation": "what happens without the division",
        "sequences/dot_product_variance": "where the square root of the dimension comes from",
    },
    picture=Picture("connectionism/modern_hopfield_one_step"),
    follows="depth_against_width",
)
