"""Every public function called with bad input.

Each function is called with the arguments of its examples, of which one at a time is spoilt. The
rule: NaN in, NaN out or a clear error. A number of the result that depends on an argument and stays
finite when this is NaN is *swallowed*. An error that is none of ``corollary.errors`` is *raw*.
"""
