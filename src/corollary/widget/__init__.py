"""Notebook widgets: a claim or the playground with sliders, in Jupyter and Colab, without a server.

Python computes in the kernel whenever a field changes; figures and results are drawn by ``report``,
and the fields are those of the lab.
"""
