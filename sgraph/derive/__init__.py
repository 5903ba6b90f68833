"""Turning messages into claims, summaries and facts: the contracts of a reply, the built-in rules, the models."""
