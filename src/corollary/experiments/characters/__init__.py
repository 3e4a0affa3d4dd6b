"""Language models over the characters of Shakespeare's plays."""
