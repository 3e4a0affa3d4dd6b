"""A learning rate for a model, its data and its optimizer: from curvature, confirmed by runs."""
