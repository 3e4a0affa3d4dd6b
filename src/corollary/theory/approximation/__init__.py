"""Approximation of functions: polynomials, ridge functions, Fourier integrals and sampling."""
