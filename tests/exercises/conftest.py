# Answers are run by the grader, in a process with limits, and nowhere else.
collect_ignore = ["answers", "hostile"]
