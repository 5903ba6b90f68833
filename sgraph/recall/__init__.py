"""Recall: the routes to evidence, how they are fused, what may be found, and the cards that come out."""
