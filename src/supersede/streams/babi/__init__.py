"""OAKS-BABI: small facts hidden in prose, asked about at every interval.

::

    names      people, places and objects that neither a dictionary nor the background knows
    verbs      surface verbs <-> the four canonical groups
    story      a world in which people move about and take, drop and hand over objects
    extract    fact sentences -> a database of who did what when        (state extraction)
    templates  what can be asked, each with the steps of its answer
    questions  a database -> questions with a timeline over its facts   (question synthesis)
    choose     the mix of types and of how often answers change
    document   facts and prose -> chunks
    build      all of it, document by document
"""

from supersede.streams.babi.build import Recipe, babi_streams
from supersede.streams.babi.extract import Database, extract
from supersede.streams.babi.questions import Candidate, synthesise
from supersede.streams.babi.templates import TEMPLATES, Template

__all__ = [
    "TEMPLATES",
    "Candidate",
    "Database",
    "Recipe",
    "Template",
    "babi_streams",
    "extract",
    "synthesise",
]
