"""Identity: which names are one name, which entity a mention means, and what a text says about names."""
