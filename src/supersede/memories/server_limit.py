"""How long a context a running server takes, as it says itself."""

from __future__ import annotations

import json
from http.client import HTTPException
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

_TIMEOUT_SECONDS = 10


def server_limit(url: str, model: str, key: str | None = None) -> int | None:
    """Tokens of the window of a model that a server has loaded; None where it does not say.

    Asks `/models` as vLLM and SGLang answer it, then `/props` as llama.cpp does.

    Args:
        url: The server, up to and with `/v1`.
        model: The model's name there.
        key: Key of the server, where it wants one.
    """
    base = url.rstrip("/")
    found = limit_in_models(_get(f"{base}/models", key), model)
    if found is not None:
        return found
    return limit_in_props(_get(f"{base.removesuffix('/v1')}/props", key))


def limit_in_models(answer: Any, model: str) -> int | None:
    """The limit in an answer of `/models`; the model's own, or that of the only one."""
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        return None
    known = [row for row in rows if isinstance(row, dict)]
    named = [row for row in known if row.get("id") == model] or (known if len(known) == 1 else [])
    return _number(named[0].get("max_model_len")) if named else None


def limit_in_props(answer: Any) -> int | None:
    """The limit of one slot in an answer of `/props`."""
    settings = answer.get("default_generation_settings") if isinstance(answer, dict) else None
    return _number(settings.get("n_ctx")) if isinstance(settings, dict) else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _get(url: str, key: str | None) -> Any:
    """What a server answers; None where it has nothing to say there."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with urlopen(Request(url, headers=headers), timeout=_TIMEOUT_SECONDS) as response:
            return json.loads(response.read())
    except (URLError, TimeoutError, ConnectionError, HTTPException, ValueError):
        return None  # another kind of server, or none: the caller asks the user
