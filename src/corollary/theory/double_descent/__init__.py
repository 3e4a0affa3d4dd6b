"""Double descent: risk, bias and variance of interpolating and regularised least squares."""
