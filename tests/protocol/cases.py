"""How a case of the vectors is put together; protocol/vectors/README.md says what it means."""

from typing import Any

from packing import As, meaning, pack

Case = dict[str, Any]
Pieces = list[tuple[bytes, int]]

TOKEN = "0123456789abcdef0123456789abcdef"  # noqa: S105 - guards nothing
ID = 1
"""Of the call that every reply of the vectors answers; 1 because True and 1.0 are not 1."""


def valid_reply(name: str, about: str, message: Any, *, answers: str | None, **more: Any) -> Case:
    """Return a reply that must be taken, and for what."""
    case = _case(name, about, "reply", message)
    return {**case, "answers": answers, **more, "valid": True, **_said(message)}


def broken_reply(
    name: str,
    about: str,
    message: Any,
    *,
    answers: str | None,
    rule: str,
    outcome: str,
    **more: Any,
) -> Case:
    """Return a reply that breaks a rule, and what must come of it."""
    case = _case(name, about, "reply", message)
    return {**case, "answers": answers, **more, "valid": False, "rule": rule, "outcome": outcome}


def valid_call(name: str, about: str, message: Any, reply: Any, **more: Any) -> Case:
    """Return a call, and the reply that a bot must give to it, None for none."""
    case = _case(name, about, "call", message)
    return {**case, "valid": True, **_said(message), **more, "reply": reply}


def broken_call(name: str, about: str, message: Any, *, rule: str, bot: str, **more: Any) -> Case:
    """Return a call that breaks a rule, and whether a bot must notice."""
    case = _case(name, about, "call", message)
    return {**case, "valid": False, "rule": rule, **more, "bot": bot}


def _case(name: str, about: str, direction: str, message: Any) -> Case:
    return {"name": name, "about": about, "direction": direction, "hex": _hex(message)}


def _hex(message: Any) -> Any:
    if isinstance(message, list) and message and isinstance(message[0], tuple):
        return [[piece.hex(), times] for piece, times in message]
    return message.hex() if isinstance(message, bytes) else pack(message).hex()


def _said(message: Any) -> Case:
    """Return the message as JSON, unless it is given as pieces, which are too long to print."""
    return {"message": meaning(message)} if isinstance(message, dict | As) else {}
