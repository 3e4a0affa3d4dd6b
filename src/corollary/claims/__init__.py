"""The statements, one a file; the folders are the chapters."""
