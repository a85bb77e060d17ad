"""The sentences that questions rely on, for the system message of a context.

The writer says which status labels count and how lines look; these say what questions mean.
"""

from __future__ import annotations

from supersede.model.world import World


def conventions(world: World) -> tuple[str, ...]:
    """What one must know to answer the questions of a world, as sentences (R6, R33, S6)."""
    noun = world.block
    sentences = [
        "In questions, a record is an entry with effects of its own: an ordinary entry, a late "
        "entry or a replacement. It is valid if it counts at the end of the log. Voids, "
        "amendments, confirmations, restorations, rules and copies are no records in this sense.",
        "A valid record that was amended is one record, with the content of the amendment in "
        "force.",
        "A record names whoever or whatever takes part in what happened or stands in one of its "
        "changes. Left aside are record ids and names that only describe another name.",
        "Net change is the sum of the signed changes in valid records, from 0 at the start.",
        f"What took place is ordered by {noun} and then by time or number in it. A late entry "
        f"belongs to the {noun} that it names, not to the one {world.preposition} "
        "which it was entered.",
        "A value that is set, such as a place or a holder, is the one of the valid record that "
        "took place last.",
        "Ties go to the name listed first: names in the order of this message, then those that "
        "valid records bring in, in the order in which they appear. A place of a ranking for which "
        "no candidate is left is none, and so is its value.",
        "An invalid record is an entry or a copy that does not count. It has one reason, the first "
        "that applies: it copies another record; a void or replacement in force names it; its "
        "status label does not count; it rests on a record that does not count.",
    ]
    return tuple(sentences)
