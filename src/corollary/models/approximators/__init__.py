"""Networks that are written down, not trained: approximators with a promised error."""
