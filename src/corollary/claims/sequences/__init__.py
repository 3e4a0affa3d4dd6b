"""Sequences: recurrence, attention and transformers.

A recurrent network reads a sequence one element at a time and keeps what it needs in a state. Its
gradient is a product over time, which vanishes or explodes unless gates or chosen eigenvalues hold
it near one; a recurrence that is linear in its state is a prefix scan and needs only logarithmic
depth. A fixed state is a bottleneck, so attention lets every position look back at all others,
with weights that depend on the data. A transformer is attention, layer upon layer, with positions
and masks added by hand; what it reads are pieces of words, and what it writes is searched for or
drawn token by token.
"""
