"""Generalisation: what the training error says about the next example.

A network is chosen on a sample and used on a distribution. The gap between the two is a random
number, and this chapter bounds it in every way the notes know: for one function, for finitely many,
by counting labelings, by fitting random signs, by the stability of the training algorithm, by what
a network can be compressed to, and by the information a posterior carries. Each inequality is run
on repeated draws and its failures are counted against the probability it promises; where a bound
says nothing about real networks, that is measured as well.
"""
