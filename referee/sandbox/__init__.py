"""A sandbox for other people's programs: limits, users, control groups, files that they see.

Use it by the names below alone; its modules are its own. Normal use:

    tier = find_tier().tier
    program = Program(name="guest", argv=("./guest",), folder="/srv/guest", tier=tier)
    with Sandbox.probe() as sandbox, sandbox.run(program, Limits(processes=1)) as process:
        while (ended := process.wait_end(SLICE_NS)) is None:
            process.drain()
    print(process.tail(), ended)

A command starts faster without what it does not use, so a name loads its module at its first use.
"""

TYPE_CHECKING = False  # `typing` is large, and each process of the launcher loads this module
if TYPE_CHECKING:
    from referee.sandbox.builder import BuildOrder, Built
    from referee.sandbox.cgroup import Groups
    from referee.sandbox.cures import group_cure
    from referee.sandbox.directory import SandboxDirectory, private_directory, remove_directory
    from referee.sandbox.errors import EXHAUSTED, ExhaustedError, NoStartError, SandboxError
    from referee.sandbox.finding import TierFinding, find_tier, limits_in_force
    from referee.sandbox.landlock import is_network_closed, landlock_version
    from referee.sandbox.leftovers import remove_leftovers
    from referee.sandbox.limits import Limits, Tier
    from referee.sandbox.locked import LOCKED_NAME, make_locked, take_lock
    from referee.sandbox.memory_here import memory_room_here
    from referee.sandbox.orphans import become_subreaper, sweep
    from referee.sandbox.probe import refusal
    from referee.sandbox.process import Process, ending
    from referee.sandbox.proctree import descendants, live_children, parent_of, threads
    from referee.sandbox.program import Program
    from referee.sandbox.safe_programs import safe_program
    from referee.sandbox.sandbox import Sandbox
    from referee.sandbox.scope import enter_scope
    from referee.sandbox.shortage import FULL_DISK, TOO_FEW_PROCESSES
    from referee.sandbox.steps import end_with_parent
    from referee.sandbox.surrounding_tasks import TaskRoom, task_room_here
    from referee.sandbox.surroundings import Room
    from referee.sandbox.tiers import TIERS
    from referee.sandbox.unprivileged import can_set_cores
    from referee.sandbox.users import Users
    from referee.sandbox.visible_paths import (
        SYSTEM,
        TOOLCHAINS,
        installations,
        is_visible,
        objection,
        rust_toolchain,
        without_shims,
    )
    from referee.sandbox.warden import guard_command, start_warden

__all__ = [
    "EXHAUSTED",
    "FULL_DISK",
    "LOCKED_NAME",
    "SYSTEM",
    "TIERS",
    "TOOLCHAINS",
    "TOO_FEW_PROCESSES",
    "BuildOrder",
    "Built",
    "ExhaustedError",
    "Groups",
    "Limits",
    "NoStartError",
    "Process",
    "Program",
    "Room",
    "Sandbox",
    "SandboxDirectory",
    "SandboxError",
    "TaskRoom",
    "Tier",
    "TierFinding",
    "Users",
    "become_subreaper",
    "can_set_cores",
    "descendants",
    "end_with_parent",
    "ending",
    "enter_scope",
    "find_tier",
    "group_cure",
    "guard_command",
    "installations",
    "is_network_closed",
    "is_visible",
    "landlock_version",
    "limits_in_force",
    "live_children",
    "make_locked",
    "memory_room_here",
    "objection",
    "parent_of",
    "private_directory",
    "refusal",
    "remove_directory",
    "remove_leftovers",
    "rust_toolchain",
    "safe_program",
    "start_warden",
    "sweep",
    "take_lock",
    "task_room_here",
    "threads",
    "without_shims",
]

_PLACES = {
    "builder": (
        "BuildOrder",
        "Built",
    ),
    "cgroup": ("Groups",),
    "cures": ("group_cure",),
    "directory": (
        "SandboxDirectory",
        "private_directory",
        "remove_directory",
    ),
    "errors": (
        "EXHAUSTED",
        "ExhaustedError",
        "NoStartError",
        "SandboxError",
    ),
    "finding": (
        "TierFinding",
        "find_tier",
        "limits_in_force",
    ),
    "landlock": (
        "is_network_closed",
        "landlock_version",
    ),
    "leftovers": ("remove_leftovers",),
    "limits": (
        "Limits",
        "Tier",
    ),
    "locked": (
        "LOCKED_NAME",
        "make_locked",
        "take_lock",
    ),
    "memory_here": ("memory_room_here",),
    "orphans": (
        "become_subreaper",
        "sweep",
    ),
    "probe": ("refusal",),
    "process": (
        "Process",
        "ending",
    ),
    "proctree": (
        "descendants",
        "live_children",
        "parent_of",
        "threads",
    ),
    "program": ("Program",),
    "safe_programs": ("safe_program",),
    "sandbox": ("Sandbox",),
    "scope": ("enter_scope",),
    "shortage": (
        "FULL_DISK",
        "TOO_FEW_PROCESSES",
    ),
    "steps": ("end_with_parent",),
    "surrounding_tasks": (
        "TaskRoom",
        "task_room_here",
    ),
    "surroundings": ("Room",),
    "tiers": ("TIERS",),
    "unprivileged": ("can_set_cores",),
    "users": ("Users",),
    "visible_paths": (
        "SYSTEM",
        "TOOLCHAINS",
        "installations",
        "is_visible",
        "objection",
        "rust_toolchain",
        "without_shims",
    ),
    "warden": (
        "guard_command",
        "start_warden",
    ),
}
"""Names by module."""


def __getattr__(name: str) -> object:
    """Load the module of a name and return what it names."""
    for module, names in _PLACES.items():
        if name in names:
            from importlib import import_module

            found: object = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
