"""Faults with the machine: deaths, processes, memory, files, output, what is others'."""

from hostile_case import Case

DEAD = {"ends": "crash", "call": "move"}
SILENT = {"ends": "timeout", "call": "move", "short": "per_move"}
SMALL = {"memory_bytes": 64 << 20}

CASES = (
    Case(row=83, bot="null", program="fatal", does="follows a null pointer", says="SIGSEGV",
         **DEAD),
    Case(row=83, bot="stack", program="fatal", does="overflows its stack", says="SIGSEGV", **DEAD),
    Case(row=83, bot="divide", program="fatal", does="divides by zero", says="SIGFPE", **DEAD),
    Case(row=83, bot="abort", program="fatal", does="aborts", says="SIGABRT", **DEAD),
    Case(row=83, bot="4", program="fatal", does="meets an illegal instruction", says="SIGILL",
         **DEAD),
    Case(row=83, bot="7", program="fatal", does="meets a bus error", says="SIGBUS", **DEAD),
    Case(row=83, bot="9", program="fatal", does="kills itself", says="SIGKILL", **DEAD),
    Case(row=83, bot="24", program="fatal", does="runs out of a CPU limit of its own",
         says="SIGXCPU", **DEAD),
    Case(row=85, bot="forks_for_ever", does="forks without end", says="no reply to move",
         **SILENT),
    Case(row=86, bot="takes_all_memory", does="takes memory without end", limits=SMALL,
         says="exit code 1", seat={"output_tail": "MemoryError"}, **DEAD),
    Case(row=74, bot="takes_memory_after_its_move", does="takes memory after a move", stands=1,
         limits=SMALL, says="exit code 1", **DEAD),
    Case(row=87, bot="shares_memory_out", does="takes memory in three children", limits=SMALL),
    Case(row=88, bot="fills_its_room", does="fills its folder"),
    Case(row=89, bot="makes_5000_files", does="makes 5,000 files", is_slow_to_clear=True),
    Case(row=89, bot="digs_1200_folders_deep", does="makes folders 1,200 deep",
         is_slow_to_clear=True),
    Case(row=90, bot="floods_stdout", does="prints 64 MB without a line end",
         seat={"output_bytes": 64 << 20}),
    Case(row=90, bot="floods_stdout_for_ever", does="prints without end", says="no reply to move",
         seat={"output_bytes": 1 << 20}, **SILENT),
    Case(row=91, bot="floods_stderr", does="prints 64 MB to stderr",
         seat={"output_bytes": 64 << 20}),
    Case(row=92, bot="closes_its_output", does="closes stdout and stderr"),
    Case(row=93, bot="leaves_children", does="leaves children of every kind"),
    Case(row=93, bot="leaves_its_control_group", does="moves out of its control group",
         says="no reply to move", **SILENT),
    Case(row=94, bot="leaves_a_daemon_with_its_pipes",
         does="exits while a daemon holds its pipes and its connection", says="exit code 4",
         **DEAD),
    Case(row=96, bot="kills_its_group", does="kills its process group", says="SIGTERM", **DEAD),
    Case(row=101, bot="pries", does="pries into what is others'", seat={"output_tail": "could:"}),
    Case(row=105, bot="opens_files_for_ever", does="opens files without end",
         seat={"output_tail": "files open"}),
    Case(row=105, bot="starts_threads_for_ever", does="starts threads without end"),
    Case(row=106, bot="sends_descriptors", does="sends open files along with its messages",
         seat={"strays": 10}),
)  # fmt: skip
