"""Double descent: bias, variance and the risk of interpolating models.

A model with as many parameters as data points just fits them, and generalises worst. With fewer it
averages noise out; with many more, the shortest of its many solutions is smooth again. The claims
of this chapter give the risk on both sides of the peak in closed form, say why the peak is there
(a design that is almost singular), what takes it away (a ridge, stopping early), and which
interpolating methods overfit harmlessly.
"""
