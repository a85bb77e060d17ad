"""How alike the worlds of the catalogue read: every pair of prototypes, by their record lines.

    python benchmarks/world_similarity.py
    python benchmarks/world_similarity.py --instances 12 --tier medium --pairs 20 --json

Of each prototype some instances are made and their record lines taken; the names of entities, the
ids of records and all numbers are blanked, so that what is left is wording. Two measures:

- *words*: cosine of the TF-IDF vectors of the words, 1 + ln of the frequency times ln of the
  worlds over the worlds that use the word. High where two worlds talk about the same things.
- *phrases*: Jaccard index of the sets of runs of three words, blanks included, those with fewer
  than two words left out. High where two worlds say things in the same way.

Printed are the spread of both over all pairs (6,786 of 117 worlds) and the closest pairs by each,
with what they share; then the wordings, of events, revisions, rules and noise, that stand in two
worlds letter for letter once case, marks and slots are left aside. There should be none: with one,
the exit code is 1. The result depends on nothing but the specifications and the options.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt
from statistics import quantiles

from supersede import instance_key, load_prototype, make_instance
from supersede.corpus.overlap import record_lines
from supersede.model.instance import Tier
from supersede.prototypes import prototype_ids
from supersede.specs.schema import Specification

BLANK = "_"
RUN = 3
"""Words of a phrase."""
SHOWN = 6
"""How many words or phrases are printed of what two worlds share."""
_TOKEN = re.compile(r"_|[^\W\d_]+(?:'[^\W\d_]+)*")
_SLOT = re.compile(r"\{[^}]*\}")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,:]\d+)*")

Words = tuple[str, ...]


@dataclass(frozen=True)
class Text:
    """What one prototype says."""

    words: Mapping[str, int]
    """How often each word occurs."""
    phrases: frozenset[Words]


@dataclass(frozen=True)
class Pair:
    """How alike two prototypes read."""

    one: str
    other: str
    words: float
    """Cosine, 0 to 1."""
    phrases: float
    """Jaccard index, 0 to 1."""


def blanked(spec: Specification, lines: Iterable[str]) -> Iterator[str]:
    """The lines, lower case, with names, minted names, ids of records and numbers made blanks."""
    names = [name for kind in spec.entities.values() for name in kind.names or ()]
    templates = [kind.minted for kind in spec.entities.values() if kind.minted]
    templates.append(spec.clock.record)
    holes = [re.sub(r"\\\{\w+\\\}", r"\\d+", re.escape(text)) for text in templates]
    words = [re.escape(name) for name in sorted(names, key=len, reverse=True)]
    known = re.compile(rf"(?<!\w)(?:{'|'.join(holes + words)})(?!\w)")
    for line in lines:
        yield _NUMBER.sub(BLANK, known.sub(BLANK, line)).lower()


def text_of(spec: Specification, tier: Tier, instances: int) -> Text:
    """The words and phrases of the record lines of some instances of a prototype.

    Instances are those of the training split from index 0 on.
    """
    words: Counter[str] = Counter()
    phrases: set[Words] = set()
    for index in range(instances):
        instance = make_instance(instance_key(spec.id, tier.value, index=index))
        turns = (message.content for message in instance.messages if message.role == "user")
        for line in blanked(spec, record_lines(turns)):
            tokens = _TOKEN.findall(line)
            words.update(token for token in tokens if token != BLANK)
            runs = zip(*(tokens[n:] for n in range(RUN)), strict=False)
            phrases.update(run for run in runs if run.count(BLANK) <= RUN - 2)
    return Text(words, frozenset(phrases))


def wordings(spec: Specification) -> Iterator[str]:
    """Everything that the author of a prototype worded, slots blanked, without case and marks."""
    given = [*(text for event in spec.events for text in event.phrasings)]
    given += [text for kind in spec.revisions.model_dump().values() for text in kind]
    given += [text for rule in spec.rules for text in rule.text]
    for text in (*given, *spec.noise):
        yield " ".join(_TOKEN.findall(_SLOT.sub(BLANK, text).lower()))


def repeated(specs: Iterable[Specification]) -> dict[str, list[str]]:
    """Wording -> the prototypes that share it, where there are two or more."""
    users: dict[str, list[str]] = {}
    for spec in specs:
        for wording in dict.fromkeys(wordings(spec)):
            users.setdefault(wording, []).append(spec.id)
    return {wording: found for wording, found in users.items() if len(found) > 1}


def vectors(texts: Mapping[str, Text]) -> dict[str, dict[str, float]]:
    """TF-IDF vectors of length 1; a word of all worlds weighs nothing."""
    used = Counter(word for text in texts.values() for word in text.words)
    found = {}
    for name, text in texts.items():
        raw = {w: (1 + log(n)) * log(len(texts) / used[w]) for w, n in text.words.items()}
        length = sqrt(sum(x * x for x in raw.values()))
        found[name] = {word: x / length for word, x in raw.items()}
    return found


def pairs(texts: Mapping[str, Text]) -> list[Pair]:
    """All pairs, in the order of the catalogue."""
    weights = vectors(texts)
    found = []
    for one, other in combinations(texts, 2):
        few, many = sorted((weights[one], weights[other]), key=len)
        cosine = sum(x * many[word] for word, x in few.items() if word in many)
        mine, yours = texts[one].phrases, texts[other].phrases
        shared = len(mine & yours)
        found.append(Pair(one, other, cosine, shared / (len(mine) + len(yours) - shared)))
    return found


def spread(values: Sequence[float]) -> dict[str, float]:
    """Least, quartiles, 99th percentile and most."""
    cuts = quantiles(values, n=100)
    return {
        "least": min(values),
        "lower quartile": cuts[24],
        "median": cuts[49],
        "upper quartile": cuts[74],
        "99 %": cuts[98],
        "most": max(values),
    }


def shared_words(texts: Mapping[str, Text], pair: Pair) -> list[str]:
    """The words that make the cosine of a pair most, the heaviest first."""
    weights = vectors(texts)
    one, other = weights[pair.one], weights[pair.other]
    both = [(one[word] * other[word], word) for word in one.keys() & other.keys()]
    return [word for _, word in sorted(both, key=lambda found: (-found[0], found[1]))[:SHOWN]]


def shared_phrases(texts: Mapping[str, Text], pair: Pair) -> list[str]:
    """The phrases of a pair that the fewest other worlds use."""
    used = Counter(phrase for text in texts.values() for phrase in text.phrases)
    both = texts[pair.one].phrases & texts[pair.other].phrases
    return [" ".join(phrase) for phrase in sorted(both, key=lambda p: (used[p], p))[:SHOWN]]


def as_text(texts: Mapping[str, Text], found: Sequence[Pair], shown: int) -> Iterator[str]:
    """The spreads and the closest pairs, as lines for people."""
    yield f"{len(texts)} prototypes, {len(found):,} pairs"
    for measure in ("words", "phrases"):
        row = spread([getattr(pair, measure) for pair in found])
        yield f"{measure:<9}" + ", ".join(f"{name} {value:.3f}" for name, value in row.items())
    for measure, shared in (("words", shared_words), ("phrases", shared_phrases)):
        yield ""
        yield f"closest by {measure}"
        for pair in _closest(found, measure)[:shown]:
            yield f"{getattr(pair, measure):.3f}  {pair.one}, {pair.other}"
            yield f"       {'; '.join(shared(texts, pair))}"


def _closest(found: Sequence[Pair], measure: str) -> list[Pair]:
    return sorted(found, key=lambda pair: -getattr(pair, measure))


def as_json(texts: Mapping[str, Text], found: Sequence[Pair], shown: int) -> dict[str, object]:
    """The same for scripts."""
    return {
        "prototypes": len(texts),
        "pairs": len(found),
        **{
            measure: {
                "spread": spread([getattr(pair, measure) for pair in found]),
                "closest": [vars(pair) for pair in _closest(found, measure)[:shown]],
            }
            for measure in ("words", "phrases")
        },
    }


def main() -> int:
    """Prints how alike the worlds read."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--instances", type=int, default=8, help="of each prototype (8)")
    parser.add_argument("--tier", default=Tier.MEDIUM.value, help="their tier (medium)")
    parser.add_argument("--pairs", type=int, default=10, help="how many pairs to print (10)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.instances < 1 or options.pairs < 1:
        parser.error("--instances and --pairs take 1 or more")
    tier = Tier(options.tier)
    specs = [load_prototype(name) for name in prototype_ids()]
    texts = {spec.id: text_of(spec, tier, options.instances) for spec in specs}
    found, same = pairs(texts), repeated(specs)
    if options.json:
        whole = {**as_json(texts, found, options.pairs), "wordings in two worlds": same}
        print(json.dumps(whole, indent=2))
    else:
        print("\n".join(as_text(texts, found, options.pairs)))
        print(f"\nwordings in two worlds: {len(same)}")
        for wording, users in same.items():
            print(f"       {wording}: {', '.join(users)}")
    return 1 if same else 0


if __name__ == "__main__":
    sys.exit(main())
