"""Linear algebra, calculus, topology and probability: the instruments the other areas use."""
