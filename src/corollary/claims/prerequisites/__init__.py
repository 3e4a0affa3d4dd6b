"""Prerequisites: linear algebra, calculus, smoothness and probability.

The tools of the later chapters: norms and the operator norms they induce, singular values, the
Loewner order, Taylor remainders, mean values, Hessian-vector products, Lipschitz constants, tail
integrals and normal vectors, each with the case in which it stops being true.
"""
