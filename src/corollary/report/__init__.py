"""Results for readers: SVG figures, one HTML page, plain text. Nothing is imported here."""
