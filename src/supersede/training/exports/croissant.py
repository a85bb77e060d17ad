"""`croissant.json`: the data set in the vocabulary of MLCommons, responsible-AI fields included.

The Hub writes a Croissant file of its own and drops those fields, so the folder carries one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from supersede import __version__
from supersede.model.instance import Split
from supersede.training.exports.card import ABOUT, LICENSES, Card, columns
from supersede.training.exports.shards import Shard, splits_of
from supersede.training.exports.source import Exported

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The standard context of Croissant 1.0: a reader warns of any other."""

_PARQUET = "application/x-parquet"
_NUMBERS = frozenset({"prototype_version", "index", "blocks", "events", "tokens"})

_RESPONSIBLE: dict[str, str | list[str]] = {
    "rai:dataCollection": "Nothing was collected. Declarative specifications of worlds were "
    "simulated, and the histories written out as logs by templates.",
    "rai:dataCollectionType": ["Synthetic data generation"],
    "rai:dataAnnotationAnalysis": [
        "`supersede corpus verify` reads the records back from the text with a parser that is "
        "denied the specification's effects, replays them and compares every answer; a self-test "
        "graded the reference answer, an empty and a wrong one on every row."
    ],
    "rai:dataAnnotationProtocol": [
        "Answers and checklists are computed by deterministic replay. No person and no language "
        "model annotated anything."
    ],
    "rai:machineAnnotationTools": [f"Supersede {__version__}"],
    "rai:dataBiases": [
        "The worlds are written in English by template, with names made up from several cultures; "
        "frequencies of events follow what their specifications say and not the world's."
    ],
    "rai:dataUseCases": [
        "Evaluating and training language models on contexts in which later information revises, "
        "revokes or outdates earlier information."
    ],
    "rai:dataLimitations": [
        "The wording is that of templates, and the rules of validity are spelled out in the "
        "prompt: skill here does not prove skill on free prose or on unstated rules.",
        "The data says nothing about the domains that its worlds are named after.",
    ],
    "rai:dataSocialImpact": "None known beyond that of better language models; held-out rows carry "
    "a canary, so that training on them can be found.",
    "rai:personalSensitiveInformation": ["None: all people, places and companies are made up."],
    "rai:dataReleaseMaintenancePlan": "Rows are functions of their keys; a mended world has a "
    "higher version, and the rows made from it have other ids.",
}


def croissant_text(card: Card, exported: Exported, shards: Sequence[Shard]) -> str:
    """The text of `croissant.json`: every shard with its hash, every split as a record set."""
    splits = splits_of(shards)
    data: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.0",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": card.name,
        "description": ABOUT,
        "license": LICENSES[card.license],
        "version": __version__,
        "inLanguage": "en",
        "keywords": ["synthetic", "long context", "knowledge update", "information evolution"],
        "citeAs": f"{card.name}, made with Supersede {__version__}",
        **({"url": card.url} if card.url else {}),
        **({"datePublished": card.date} if card.date else {}),
        **({"creator": _creator(card.creator)} if card.creator else {}),
        **_RESPONSIBLE,
        "distribution": [*map(_file, shards), *map(_file_set, splits)],
        "recordSet": [_record_set(split, columns(exported)) for split in splits],
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _creator(name: str) -> dict[str, str]:
    return {"@type": "sc:Organization", "name": name}


def _file(shard: Shard) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": shard.path,
        "name": shard.path.rpartition("/")[2],
        "contentUrl": shard.path,
        "contentSize": f"{shard.bytes} B",
        "encodingFormat": _PARQUET,
        "sha256": shard.sha256,
    }


def _file_set(split: Split) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": _files_of(split),
        "name": _files_of(split),
        "encodingFormat": _PARQUET,
        "includes": f"data/*/{split}-*.parquet",
    }


def _files_of(split: Split) -> str:
    return f"{split}-files"


def _record_set(split: Split, held: Mapping[str, str]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": split.value,
        "name": split.value,
        "description": f"The {split} rows of all tiers.",
        "key": {"@id": f"{split}/id"},
        "field": [_field(split, name, what) for name, what in held.items()],
    }


def _field(split: Split, name: str, what: str) -> dict[str, Any]:
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{split}/{name}",
        "name": name,
        "description": what,
    }
    source = {"fileSet": {"@id": _files_of(split)}, "extract": {"column": name}}
    if name == "messages":
        parts = [_part(split, part, source) for part in ("role", "content")]
        return field | {"repeated": True, "subField": parts, "source": source}
    if name == "evidence":
        field["repeated"] = True
    kind = "sc:Integer" if name in _NUMBERS else "sc:Text"
    return field | {"dataType": kind, "source": source}


def _part(split: Split, name: str, source: dict[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{split}/messages/{name}",
        "name": name,
        "dataType": "sc:Text",
        "source": {**source, "transform": {"jsonPath": name}},
    }
