"""Results as SVG figures, HTML pages and plain text."""
