"""How verdicts and severities look: a sign in text, a colour on a terminal."""

VERDICT_SIGNS = {
    "fails": "✗",
    "crashed": "!",
    "inconclusive": "?",
    "inapplicable": "–",
    "vacuous": "○",
    "holds": "✓",
}  # the ones to look at first come first
VERDICT_COLOURS = {
    "fails": "bold red",
    "crashed": "bold red",
    "inconclusive": "yellow",
    "inapplicable": "yellow",
    "vacuous": "yellow",
    "holds": "green",
}
SEVERITY_SIGNS = {"none": "✓", "low": "·", "medium": "!", "high": "✗"}
SEVERITY_COLOURS = {"none": "green", "low": "cyan", "medium": "yellow", "high": "bold red"}
