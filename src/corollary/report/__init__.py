"""Results for readers: SVG figures, one HTML page, plain text."""
