"""Attention as memory."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _read(seen: Seen) -> str:
    worst, bound = max(seen.measured), max(seen.predicted)
    guarantee = (
        f"the theorem guarantees {short(bound)}"
        if bound < 1
        else "the theorem promises nothing useful yet"
    )
    return (
        f"{seen['N']} memories, inverse temperature {short(float(seen['beta']))}: the worst of "
        f"them is read with an error of {short(worst)}, and {guarantee}."
    )


STORY = Story(
    title="Attention as memory",
    teaser="The softmax in a transformer is a memory that recalls in a single step.",
    claim="connectionism/modern_hopfield_one_step",
    moves={
        "beta": "inverse temperature β",
        "N": "memories",
        "radius": "how far the query is off",
    },
    ends={"beta": (0.05, 10.0), "N": (2, 60), "radius": (0.0, 1.0)},
    parts=(
        Part(
            "Take a list of vectors, the keys. Given a query, weigh every key by the softmax of "
            "its product with the query, and return the weighted mean. That is attention. It is "
            "also, to the letter, one update of a modern Hopfield network, a memory: the query "
            "is a damaged pattern, and the answer is the stored one."
        ),
        Part(
            "How exact is the recall? It depends on how well the memories are separated, and on "
            "the inverse temperature that sharpens the softmax. The curve is the guaranteed "
            "error, the dots are the errors that occur. Both fall exponentially.",
            (
                Try("cold and sharp", {"beta": 5.0}),
                Try("warm", {"beta": 0.5}),
                Try("hot: a blend of everything", {"beta": 0.05}),
            ),
            _read,
        ),
        Part(
            "Now spoil the query, or store more. As long as the query is nearer to its own "
            "pattern than to the others by a margin, one step repairs it. With too many "
            "memories, or at too high a temperature, the answer is a mean of several: the "
            "attention head that looks at everything and at nothing.",
            (
                Try("query off by 1", {"radius": 1.0}),
                Try("60 memories", {"N": 60}),
            ),
        ),
        Part(
            "This is why transformers divide by the root of the dimension. It sets the "
            "temperature: without it products grow with the dimension, the softmax saturates, "
            "and no gradient gets through."
        ),
    ),
    claims={
        "connectionism/modern_hopfield_attention": "one update is one read of attention",
        "connectionism/dense_memory_capacity": "how many memories such a network holds",
        "sequences/softmax_saturation": "what happens without the scale",
        "sequences/dot_product_variance": "where the root of the dimension comes from",
    },
    picture=Picture("connectionism/modern_hopfield_one_step"),
    follows="depth_against_width",
)
