"""From a history to chat messages and back: the writer, and the reader that proves it.

`Writer(spec, world).messages(history, draw, question=...)` writes what `Reader(spec, world)
.read(messages)` reads back, denied all effects of the specification. `collisions` finds wordings
that a reader could not tell apart.
"""

from supersede.rendering.reader import Reader
from supersede.rendering.skeletons import collisions, skeletons
from supersede.rendering.strip import stripped, stripped_world
from supersede.rendering.vocabulary import Vocabulary
from supersede.rendering.writer import Writer

__all__ = [
    "Reader",
    "Vocabulary",
    "Writer",
    "collisions",
    "skeletons",
    "stripped",
    "stripped_world",
]
