"""What the accounts of a team may do."""

from __future__ import annotations

from typing import Literal, get_args

Role = Literal["reader", "reviewer", "editor", "admin"]
"""Each may do what those before it may."""

ROLES: tuple[Role, ...] = get_args(Role)

ROLE_HELP: dict[Role, str] = {
    "reader": "sees all pages",
    "reviewer": "also decides on words",
    "editor": "also resolves disagreements and undoes what others did",
    "admin": "also has the accounts, invitations and the security log",
}
