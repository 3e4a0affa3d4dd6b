"""The statements, one per file; the folders are the chapters."""
