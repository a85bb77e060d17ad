"""What a run takes of a model on this machine, said before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from supersede.model.instance import Message

__all__ = ["Effort", "Speed", "Timed"]


class Speed(NamedTuple):
    """How fast a model computes, in tokens a second."""

    read: float
    """Of a prompt."""
    written: float
    """Of a reply."""


@runtime_checkable
class Timed(Protocol):
    """A model that measures how fast it computes here."""

    def speed(self, messages: Sequence[Message]) -> Speed:
        """Measured on the beginning of a prompt, which is not computed again when it is asked."""
        ...


class Effort(BaseModel):
    """What the replies of a run take at most: every prompt read anew, every reply at its cap."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    KEY: ClassVar[str] = "effort"
    """Under which a log keeps it."""

    prompt_tokens: float = Field(ge=0)
    """Of a prompt, in the mean."""
    reply_tokens: int = Field(ge=1)
    """Most of a reply."""
    read: float = Field(gt=0)
    """Tokens of a prompt that are read in a second."""
    written: float = Field(gt=0)
    """Tokens of a reply that are written in a second."""

    def seconds(self, replies: int) -> float:
        """The time of so many replies, one after the other."""
        return replies * (self.prompt_tokens / self.read + self.reply_tokens / self.written)

    def text(self, replies: int) -> str:
        """One line for a person who waits."""
        count = f"{replies:,} {'reply' if replies == 1 else 'replies'}"
        pace = f"reads {_pace(self.read)} and writes {_pace(self.written)}"
        return (
            f"{count} of at most {self.reply_tokens} tokens to {replies * self.prompt_tokens:,.0f} "
            f"tokens of prompts; it now {pace} tokens a "
            f"second: at most about {self.seconds(replies):,.0f} s"
        )


def _pace(speed: float) -> str:
    """Tokens a second, without digits that were not measured."""
    return f"{speed:.0f}" if speed >= 10 else f"{speed:.1f}"
