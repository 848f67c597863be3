"""Faults that no control group limits: cases in namespaces and Landlock without one."""

from typing import Any

from hostile_case import Case

WITHOUT: dict[str, Any] = {"counted": False}
ENDED: dict[str, Any] = {"ends": "memory", "call": "move", **WITHOUT}

CASES = (
    *(
        Case(row=189, bot="burns_in_children_that_it_ignores", tier=tier, clock="cpu",
             does="thinks 300 ms in children whose end it ignores",
             seat={"charged_ns": 280_000_000}, **WITHOUT)
        for tier in ("namespaces", "landlock")
    ),
    Case(row=189, bot="keeps_the_core_before_its_hello", tier="namespaces",
         does="works in eight managers of short children before its hello", **WITHOUT),
    *(
        Case(row=190, bot="resumes_itself", tier=tier,
             does="has SIGCONT sent to itself while it is suspended",
             seat={"output_tail": "could: nothing"}, **WITHOUT)
        for tier in ("namespaces", "landlock")
    ),
    *(
        Case(row=191, bot="fills_page_tables", tier=tier,
             does="fills 512 GB of addresses with page tables", limits={"memory_bytes": 256 << 20},
             seat={"output_tail": "page tables: below 64 MB"}, **WITHOUT)
        for tier in ("namespaces", "landlock")
    ),
    Case(row=191, bot="makes_files_in_memory", tier="namespaces", is_slow_to_clear=True,
         does="makes empty files in memory endlessly", says="files in /tmp", **ENDED),
    *(
        Case(row=192, bot="holds_files_in_children", tier=tier,
             does="holds pipes in as many processes as it may",
             says="open files of all its processes", **ENDED)
        for tier in ("namespaces", "landlock")
    ),
)  # fmt: skip
