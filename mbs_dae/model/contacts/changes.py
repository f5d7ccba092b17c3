"""Changes of contacts and friction that an event may name: ``mbs.Event("stops", when=rub.sticks)``."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

from ...errors import ModelError
from ..element import Element

STICKS, SLIPS, TOUCHES, PARTS = "sticks", "slips", "touches", "parts"


class ContactChange(NamedTuple):
    """A change of a contact or a friction: the name of the element, and the change that begins."""

    element: str
    change: str

    def __str__(self) -> str:
        return f"{self.element}.{self.change}"

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        raise ModelError(
            f"{self} is a change, and no function; write it without parentheses: when=....{self.change}",
            code="is-a-change", change=self.change,
        )  # fmt: skip

    def __or__(self, other: Any) -> NoReturn:
        raise ModelError(
            f"{self} and another change are two events; add one mbs.Event for each", code="several-changes"
        )


class ContactChanges(Element):
    """An element whose changes events may name."""

    @property
    def sticks(self) -> ContactChange:
        """The change at which the element begins to stick, for `when` of an `mbs.Event`."""
        return self._change(STICKS)

    @property
    def slips(self) -> ContactChange:
        """The change at which the element begins to slip, for `when` of an `mbs.Event`."""
        return self._change(SLIPS)

    @property
    def touches(self) -> ContactChange:
        """The change at which separate bodies touch: where they stay together, and in every impact."""
        return self._change(TOUCHES)

    @property
    def parts(self) -> ContactChange:
        """The change at which touching bodies separate; a bounce touches and separates at one instant."""
        return self._change(PARTS)

    def hints(self, name: str) -> list[str]:
        """Return what the element has in place of an attribute: see `Element.hints`."""
        may = [change for change in (TOUCHES, PARTS, STICKS, SLIPS) if not self.never(change)]
        changes = f"its changes, for when= of an mbs.Event, are: {', '.join(may)}" if may else self.never(TOUCHES)
        return [changes, *super().hints(name)]

    def _change(self, change: str) -> ContactChange:
        if why := self.never(change):
            raise ModelError(
                f"{self.who} never {change}: {why}", code="change-never-happens", subject=self.who, change=change
            )
        return ContactChange(self.name, change)

    def never(self, change: str) -> str:
        """Return why a change never happens; empty if it may happen."""
        return ""
