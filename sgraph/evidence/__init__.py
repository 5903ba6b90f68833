"""Evidence: what may be answered from, what was really used, and what is only an echo of what was handed out."""
