"""Retrieval over revealed chunks: by words, by meaning, and how often it finds the evidence.

`make_retriever` makes one by name. Libraries and models are loaded only with what needs them.
"""

from supersede.memories.retrieval.choose import make_retriever
from supersede.memories.retrieval.pass_at import PassAtK, Ranked, needed_chunks, pass_at_k
from supersede.memories.retrieval.retriever import MakeRetriever, Retriever

__all__ = [
    "MakeRetriever",
    "PassAtK",
    "Ranked",
    "Retriever",
    "make_retriever",
    "needed_chunks",
    "pass_at_k",
]
