"""Configuration: arguments win over SGRAPH_* environment variables, those over a TOML file, that over the defaults.

The file is the one `SGRAPH_CONFIG` names. None is looked for in the working folder: a file that came with somebody's
project must not decide where a memory is sent.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

Step = Literal["block_summary", "events", "projection", "turn_summary"]
STEPS: tuple[Step, ...] = ("block_summary", "events", "projection", "turn_summary")
_REFERENCE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*|file:.+")


def _reference(value: str) -> str:
    if not _REFERENCE.fullmatch(value):  # the value may be the key itself: it is not repeated
        raise ValueError("a key is named, never given: env:NAME of a variable, or file:PATH")
    return value


def _endpoint(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an http or https address, such as http://127.0.0.1:11434/v1")
    if parts.username or parts.password or parts.query:
        raise ValueError("must hold no user, password or query: name the key with `key`")
    return value.rstrip("/")


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Route(_Settings):
    """Where one model is asked. Nothing secret is in it: `key` says where the key, or several with commas, is read.

    `mode` is how the form of the reply is asked for: a forced tool call, or a JSON schema. `timeout` is in seconds, of
    one call. Without `max_tokens` or `reasoning_effort` none is sent.
    """

    base_url: Annotated[str, AfterValidator(_endpoint)]
    model: Annotated[str, Field(min_length=1, max_length=200)]
    key: Annotated[str, AfterValidator(_reference)] | None = None
    mode: Literal["tools", "json_schema"] = "tools"
    timeout: Annotated[float, Field(gt=0, le=3600)] = 120.0
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    reasoning_effort: str | None = None


class Models(_Settings):
    """Which models derive, and what. `steps` not listed are left to the rules.

    `source` is where a route comes from first: `session` (what the host hands over with a turn), `preset`, or `pool`,
    in order, the next one on failure. An empty pool gives way to the preset, the preset to the session's and back.
    `backoff` is the pause in seconds before a second attempt; it doubles with each.
    """

    source: Literal["session", "preset", "pool"] = "preset"
    preset: Route | None = None
    pool: tuple[Route, ...] = ()
    steps: tuple[Step, ...] = STEPS
    workers: Annotated[int, Field(ge=1, le=32)] = 1
    backoff: Annotated[float, Field(ge=0, le=600)] = 1.0

    @property
    def configured(self) -> bool:
        """Say whether a model may be asked at all."""
        return self.source == "session" or self.preset is not None or bool(self.pool)


class Config(BaseSettings):
    """How a process opens spaces. What belongs to a space itself is a setting kept in its journal."""

    model_config = SettingsConfigDict(
        env_prefix="SGRAPH_", env_nested_delimiter="__", extra="ignore", hide_input_in_errors=True
    )

    space: Path = Path("memory.sgraph")
    engine: str | None = None
    buffer_pool_mb: int = 256
    cypher_limit: int = 100
    cypher_timeout: float = 10.0
    models: Models = Models()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Put the TOML file behind the environment."""
        file = os.environ.get("SGRAPH_CONFIG")
        named = (TomlConfigSettingsSource(settings_cls, toml_file=Path(file)),) if file else ()
        return init_settings, env_settings, *named
