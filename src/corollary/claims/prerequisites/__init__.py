"""Prerequisites: the mathematics beneath, as instruments that are checked themselves.

Linear algebra, calculus, smoothness and probability as the later chapters use them: norms and the
operator norms they induce, singular values, the Loewner order, Taylor remainders, mean values,
Hessian-vector products, Lipschitz constants, tail integrals and normal vectors, each with the case
in which it stops being true.
"""
