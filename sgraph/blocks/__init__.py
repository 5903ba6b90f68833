"""Blocks: what a sealed run of turns looks like at each level, and how the level sinks with age."""
