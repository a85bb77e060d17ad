"""Embeddings of a server that speaks the OpenAI protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from http import HTTPStatus
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import numpy as np

from supersede.corpus.tokens import Estimate, TokenCounter
from supersede.errors import ModelError
from supersede.memories.retrieval.embedder import Kind, Vectors

_BATCH = 64
_TRIES = 4
_TIMEOUT_SECONDS = 120


class EndpointEmbedder:
    """A model behind `POST {url}/embeddings`."""

    def __init__(
        self,
        model: str,
        url: str,
        key: str | None = None,
        *,
        limit: int = 448,
        counter: TokenCounter | None = None,
        wait: float = 1.0,
    ) -> None:
        """An embedder.

        Args:
            model: Its name at the server.
            url: The server, up to and with `/v1`.
            key: Key of the server, where it wants one.
            limit: Tokens that the model reads. The default suits models of 512 by the estimate.
            counter: Counts tokens; left out, the estimate.
            wait: Seconds before the second try; they double with each.
        """
        self.name = model
        self.limit = limit
        self._url = f"{url.rstrip('/')}/embeddings"
        self._key = key
        self._counter = counter or Estimate()
        self._wait = wait
        self._lengths: set[int] = set()

    def count(self, text: str) -> int:
        """Tokens of a text."""
        return self._counter.count(text)

    async def embed(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """One row for each text.

        Raises:
            ModelError: The server does not answer, or not with embeddings.
        """
        rows: list[list[float]] = []
        for first in range(0, len(texts), _BATCH):
            rows += await self._batch(list(texts[first : first + _BATCH]))
        lengths = {len(row) for row in rows}
        if len(lengths | self._lengths) > 1 or 0 in lengths:
            raise self._failed("its embeddings differ in length, or have none")
        self._lengths |= lengths
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is told below
            vectors = np.asarray(rows, dtype=np.float32)
        if not np.isfinite(vectors).all():
            raise self._failed("some of its embeddings are not finite numbers")
        return vectors

    async def _batch(self, texts: list[str]) -> list[list[float]]:
        for tries in range(1, _TRIES + 1):
            try:
                answer = await asyncio.to_thread(self._post, texts)
                break
            except HTTPError as error:
                passing = error.code == HTTPStatus.TOO_MANY_REQUESTS or error.code >= 500
                error.close()
                if not passing or tries == _TRIES:
                    raise self._failed(f"status {error.code}") from None
            except (URLError, TimeoutError, ConnectionError, HTTPException) as error:
                if tries == _TRIES:
                    raise self._failed(str(error) or type(error).__name__) from None
            await asyncio.sleep(self._wait * 2 ** (tries - 1))
        return self._rows(answer, len(texts))

    def _post(self, texts: list[str]) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        body = json.dumps({"model": self.name, "input": texts}).encode()
        request = Request(self._url, data=body, headers=headers)  # the user names the server
        with urlopen(request, timeout=_TIMEOUT_SECONDS) as response:
            answer: bytes = response.read()
        return answer

    def _rows(self, answer: bytes, wanted: int) -> list[list[float]]:
        try:
            data: Any = json.loads(answer)["data"]
            rows = [list(map(float, one["embedding"])) for one in sorted(data, key=_place)]
        except (ValueError, LookupError, TypeError, OverflowError, RecursionError) as error:
            raise self._failed(f"no embeddings in its answer ({error!r})") from None
        if len(rows) != wanted:
            raise self._failed(f"{len(rows)} embeddings for {wanted} texts")
        return rows

    def _failed(self, why: str) -> ModelError:
        return ModelError(
            f"the embeddings server failed: {why}",
            where=self._url,
            mend="Check its address, the model's name and the key.",
        )


def _place(one: Any) -> int:
    return int(one["index"])
