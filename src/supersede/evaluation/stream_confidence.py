"""How sure a model is of an answer: what it says itself, or how likely its words were (X-029)."""

from __future__ import annotations

import re
from math import exp, fsum

from inspect_ai.model import ModelOutput

from supersede.evaluation.stream_journal import Answer

__all__ = ["answer_probability", "confidence_of"]

_MARKER = re.compile(r"answer[ \t*_`\"']*[:\uff1a]", re.IGNORECASE)
_STATED = re.compile(
    r"confidence[ \t*_`\"']*[:\uff1a][ \t*_`\"'(\[]*(\d+(?:\.\d+)?)", re.IGNORECASE
)
_MOST = 100


def confidence_of(answer: Answer) -> float | None:
    """Confidence in an answer, 0 to 1: the one that the reply states, else that of its words.

    Returns:
        None where the model neither stated one nor gave the probabilities of its words.
    """
    stated = _STATED.findall(answer.completion or "")
    if stated:
        value = float(stated[-1])
        if value <= _MOST:
            return value / _MOST
    return answer.probability


def answer_probability(output: ModelOutput) -> float | None:
    """How likely the words of the answer were to the model, given all before them; 0 to 1.

    The product over the tokens of the line behind the last `Answer:`.

    Returns:
        None where the server gave no probabilities, or there is no answer.
    """
    logprobs = output.choices[0].logprobs if output.choices else None
    if logprobs is None or not logprobs.content:
        return None
    text = "".join(token.token for token in logprobs.content)
    markers = list(_MARKER.finditer(text))
    if not markers:
        return None
    line = re.compile(r"\s*([^\n]*\S)").match(text, markers[-1].end())
    if line is None:
        return None
    found, place = [], 0
    for token in logprobs.content:
        end = place + len(token.token)
        if end > line.start(1) and place < line.end(1) and token.token.strip():
            found.append(token.logprob)
        place = end
    return min(1.0, exp(fsum(found)))
