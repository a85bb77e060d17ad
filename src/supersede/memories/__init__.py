"""Memories: what a model is shown of the past when it is asked.

`make_memory` makes one by name. A memory observes chunks in order and gives a context for a
question; `Prompts` puts rules, context and question together; `profile_of` knows what a model can
read and how it is asked; `plan_stream` says beforehand what a run takes.
"""

from supersede.memories.budget import Budget
from supersede.memories.chunks import MemorySettings
from supersede.memories.plan import Plan, Prices, plan_stream, plan_streams
from supersede.memories.profiles import Profile, find_profile, profile_of
from supersede.memories.prompts import Prompt, Prompts, blanked
from supersede.memories.registry import MemoryKind, make_memory, memories, memory_names

__all__ = [
    "Budget",
    "MemoryKind",
    "MemorySettings",
    "Plan",
    "Prices",
    "Profile",
    "Prompt",
    "Prompts",
    "blanked",
    "find_profile",
    "make_memory",
    "memories",
    "memory_names",
    "plan_stream",
    "plan_streams",
    "profile_of",
]
