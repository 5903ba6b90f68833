"""A space on disk: its files, who owns its graph, and how the graph is brought to the end of the journal."""
