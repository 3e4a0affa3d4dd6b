"""Sets, point clouds and graphs: symmetry, message passing, Laplacians and their spectra."""
