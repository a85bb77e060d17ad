"""Instances as plain JSON data and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

from supersede.errors import DataError
from supersede.model.instance import Instance, InstanceKey, Message, Split, Tier
from supersede.model.question import Answer, Claim, ClaimKind, Family, Question
from supersede.model.record import (
    Assignment,
    History,
    Kind,
    Membership,
    Mint,
    Noise,
    Posting,
    Record,
    RuleChange,
    VoidWindow,
)

CANARY = "supersede held-out data, not for training: 5e0c1b52-7f0e-4c53-9a6b-0f6f5d1c2b7e"
"""Carried by every held-out instance, so that leaked data can be found by search."""


_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def canonical(data: object) -> str:
    """JSON text with sorted keys and no spaces: equal data gives equal bytes."""
    return _canonical(data)


def quoted(text: str) -> str:
    """A text as `canonical` writes it; ASCII, of which logs are made, in half the time."""
    if text.isascii() and _DELETE not in text:
        return encode_basestring_ascii(text)
    return encode_basestring(text)


_DELETE = "\x7f"
"""The one sign of ASCII that is escaped where all else than ASCII is."""

_quoted_once = lru_cache(maxsize=256)(quoted)
"""The same for system messages, of which each world has one."""


def instance_to_json(instance: Instance, *, history: bool = False) -> dict[str, Any]:
    """An instance as plain JSON data.

    Args:
        instance: What to write.
        history: Whether the machine-readable records go along, under `history`.

    Returns:
        The keys of the design, with `query` beside `question`: the operator's parameters, from
        which the question can be answered again. `id` is a hash of all the others but `history`.
    """
    content = _content(instance)
    data = {"id": id_of_content(content), **content}
    if history:
        data["history"] = history_to_json(instance.history)
    return data


def instance_to_line(instance: Instance, *, history: bool = False) -> str:
    """An instance as one line of JSON text, without the line's end.

    Args:
        instance: What to write.
        history: Whether the machine-readable records go along, under `history`.
    """
    content = _content_text(_content(instance))
    records = f',"history":{canonical(history_to_json(instance.history))}' if history else ""
    return f'{{"id":"{_id(content)}",{content[1:-1]}{records}}}'


def instance_id(instance: Instance) -> str:
    """The `id` of the JSON of an instance."""
    return _id(_content_text(_content(instance)))


def _id(content: str) -> str:
    return sha256(content.encode()).hexdigest()[:32]


def id_of_content(content: Mapping[str, Any]) -> str:
    """The id that an instance in plain JSON data has by all its fields but `id` and `history`."""
    return _id(_content_text(content))


def _content_text(content: Mapping[str, Any]) -> str:
    """The canonical text of `_content`, of which the messages, nearly all of it, go in apart."""
    messages = ",".join(map(_message_text, content["messages"]))
    before = canonical({name: content[name] for name in content if name < "messages"})
    after = canonical({name: content[name] for name in content if name > "messages"})
    return f'{before[:-1]},"messages":[{messages}],{after[1:]}'


def _message_text(message: Mapping[str, Any]) -> str:
    if len(message) != 2:
        return canonical(message)
    role, text = message["role"], message["content"]
    shown = _quoted_once(text) if role == "system" else quoted(text)
    return f'{{"content":{shown},"role":{quoted(role)}}}'


def _content(instance: Instance) -> dict[str, Any]:
    """What the id of an instance is a hash of."""
    key, answer, question = instance.key, instance.answer, instance.question
    return {
        "key": key_to_json(key),
        "prototype": key.prototype,
        "prototype_version": key.prototype_version,
        "theme": instance.theme,
        "macro_group": instance.macro_group,
        "tier": key.tier.value,
        "split": key.split.value,
        "index": key.index,
        "messages": [{"role": role, "content": text} for role, text in instance.messages],
        "question": question.text,
        "query": {name: _plain(value) for name, value in question.parameters.items()},
        "answer": answer.text,
        "checklist": [claim_to_json(claim) for claim in answer.checklist],
        "evidence": list(answer.evidence),
        "operator": question.operator,
        "family": question.family.value,
        "blocks": instance.history.blocks,
        "events": len(instance.history.records),
        "realised": dict(instance.realised),
        "requested": dict(instance.requested),
        "canary": CANARY if key.split is Split.HELDOUT else None,
    }


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def key_to_json(key: InstanceKey) -> dict[str, Any]:
    """A key as plain JSON data."""
    return {
        "dataset_version": key.dataset_version,
        "prototype": key.prototype,
        "prototype_version": key.prototype_version,
        "tier": key.tier.value,
        "split": key.split.value,
        "index": key.index,
        "operator": key.operator,
        "dials": dict(key.dials),
    }


def claim_to_json(claim: Claim) -> dict[str, Any]:
    """A checklist claim as plain JSON data."""
    data: dict[str, Any] = {
        "kind": claim.kind.value,
        "slot": claim.slot,
        "text": claim.text,
        "expected": claim.expected,
    }
    if claim.number is not None:
        data["number"] = list(claim.number)
        data["places"] = claim.places
    if claim.candidates:
        data["candidates"] = list(claim.candidates)
    if claim.unit:
        data["unit"] = claim.unit
    return data


def history_to_json(history: History) -> dict[str, Any]:
    """A history as plain JSON data: records with every field that says something."""
    return {
        "blocks": history.blocks,
        "records": [record_to_json(record) for record in history.records],
        "noise": [list(line) for line in history.noise],
    }


def record_to_json(record: Record) -> dict[str, Any]:
    """A record as plain JSON data; empty fields are left out."""
    data: dict[str, Any] = {}
    for name, value in record._asdict().items():
        if value is None or value == () or value == {}:
            continue
        if isinstance(value, RuleChange | VoidWindow):
            data[name] = value._asdict()
        elif isinstance(value, tuple) and value and hasattr(value[0], "_asdict"):
            data[name] = [item._asdict() for item in value]
        else:
            data[name] = value
    return data


def key_from_json(data: Mapping[str, Any]) -> InstanceKey:
    """The key in plain JSON data.

    Raises:
        DataError: A field is missing or of the wrong kind.
    """
    try:
        return InstanceKey(
            prototype=str(data["prototype"]),
            prototype_version=int(data["prototype_version"]),
            tier=Tier(data["tier"]),
            split=Split(data["split"]),
            index=int(data["index"]),
            operator=str(data["operator"]),
            dials=tuple(sorted((str(k), float(v)) for k, v in data["dials"].items())),
            dataset_version=int(data["dataset_version"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(f"not an instance key: {_what(error)}") from None


def checklist_from_json(data: list[dict[str, Any]]) -> tuple[Claim, ...]:
    """The checklist in plain JSON data.

    Raises:
        DataError: A claim is incomplete or of an unknown kind.
    """
    try:
        return tuple(
            Claim(
                kind=ClaimKind(item["kind"]),
                slot=item["slot"],
                text=item["text"],
                expected=item["expected"],
                number=(item["number"][0], item["number"][1]) if "number" in item else None,
                places=item.get("places", 0),
                candidates=tuple(item.get("candidates", ())),
                unit=str(item.get("unit", "")),
            )
            for item in data
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise DataError(f"not a checklist: {_what(error)}") from None


def instance_from_json(data: Mapping[str, Any]) -> Instance:
    """The instance in plain JSON data; its history is empty where the data has none.

    Raises:
        DataError: A field is missing or of the wrong kind.
    """
    _check_kinds(data)
    try:
        question = Question(
            data["operator"],
            Family(data["family"]),
            {k: tuple(v) if isinstance(v, list) else v for k, v in data["query"].items()},
            data["question"],
        )
        answer = Answer(
            data["answer"], checklist_from_json(data["checklist"]), (), (), tuple(data["evidence"])
        )
        return Instance(
            key=key_from_json(data["key"]),
            theme=data["theme"],
            macro_group=data["macro_group"],
            messages=tuple(Message(m["role"], m["content"]) for m in data["messages"]),
            question=question,
            answer=answer,
            history=history_from_json(data["history"])
            if "history" in data
            else History(data["blocks"], ()),
            realised=data["realised"],
            requested=data["requested"],
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"not an instance: {_what(error)}") from None


_KINDS: Mapping[str, type] = {
    "id": str,
    "key": dict,
    "theme": str,
    "macro_group": str,
    "messages": list,
    "question": str,
    "query": dict,
    "answer": str,
    "checklist": list,
    "evidence": list,
    "operator": str,
    "family": str,
    "blocks": int,
    "events": int,
    "realised": dict,
    "requested": dict,
}
"""Field of an instance in plain JSON data -> its kind."""


def _check_kinds(data: Mapping[str, Any]) -> None:
    """Refuse an instance in which a field is of the wrong kind.

    Raises:
        DataError: Names the field.
    """
    for name, kind in _KINDS.items():
        if name not in data:
            raise DataError(f"not an instance: {name!r} is missing")
        if type(data[name]) is not kind:
            raise DataError(f"not an instance: {name!r} is no {_WORDS[kind]}")
    for number, message in enumerate(data["messages"]):
        for name in ("role", "content"):
            if not isinstance(message, dict) or not isinstance(message.get(name), str):
                raise DataError(f"not an instance: {name!r} of message {number + 1} is no text")
    for name in ("realised", "requested"):
        if not all(type(value) in (int, float) for value in data[name].values()):
            raise DataError(f"not an instance: {name!r} has a value that is no number")
    if not all(isinstance(record, str) for record in data["evidence"]):
        raise DataError("not an instance: 'evidence' has an item that is no text")


_WORDS = {str: "text", dict: "object", list: "list", int: "whole number"}


def history_from_json(data: Mapping[str, Any]) -> History:
    """The history in plain JSON data.

    Raises:
        DataError: A record is incomplete or of the wrong kind.
    """
    try:
        return History(
            int(data["blocks"]),
            tuple(_record_from_json(item) for item in data["records"]),
            tuple(Noise(a, b, c, tuple(names)) for a, b, c, names in data.get("noise", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(f"not a history: {_what(error)}") from None


def _record_from_json(data: Mapping[str, Any]) -> Record:
    return Record(
        id=data["id"],
        block=data["block"],
        position=data["position"],
        occurred=data["occurred"],
        clock=data["clock"],
        status=data.get("status"),
        kind=Kind(data["kind"]),
        event=data.get("event"),
        roles={k: tuple(v) if isinstance(v, list) else v for k, v in data.get("roles", {}).items()},
        parameters=data.get("parameters", {}),
        refs=tuple(data.get("refs", ())),
        postings=tuple(
            Posting(p["measure"], p["delta"], tuple(p["entities"]))
            for p in data.get("postings", ())
        ),
        assignments=tuple(
            Assignment(a["register"], tuple(a["key"]), a["value"])
            for a in data.get("assignments", ())
        ),
        memberships=tuple(
            Membership(m["roster"], tuple(m["key"]), m["member"], m["joins"])
            for m in data.get("memberships", ())
        ),
        mints=tuple(
            Mint(m["entity"], m["type"], tuple(m["attributes"])) for m in data.get("mints", ())
        ),
        rule=RuleChange(**data["rule"]) if "rule" in data else None,
        window=VoidWindow(**data["window"]) if "window" in data else None,
    )


def _what(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
