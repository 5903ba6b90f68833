"""What travels between rooms: frozen Pydantic models, one file per concept."""
