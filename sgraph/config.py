"""Configuration: arguments win over SGRAPH_* environment variables, those over the defaults."""

from __future__ import annotations

from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict


class Config(BaseSettings):
    """How a process opens spaces. What belongs to a space itself is a setting kept in its journal."""

    model_config = SettingsConfigDict(env_prefix="SGRAPH_", extra="ignore")

    space: Path = Path("memory.sgraph")
    engine: str | None = None
    buffer_pool_mb: int = 256
    cypher_limit: int = 100
    cypher_timeout: float = 10.0
