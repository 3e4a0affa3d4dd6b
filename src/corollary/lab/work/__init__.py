"""What workers do. Only their processes import this, for it imports torch."""
