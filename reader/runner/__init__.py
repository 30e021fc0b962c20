"""One Run of a Check, from what the user chose to its record; and whether it still holds."""

from reader.runner.options import EnvironmentNeeded, RunOptions, Watch
from reader.runner.preparing import choose_toolkit, toolkit_legs, tools_on_path
from reader.runner.running import find_check, judge_again, next_queued, run_check
from reader.runner.staleness import staleness, with_staleness
from reader.runner.trying import try_check

__all__ = [
    "EnvironmentNeeded",
    "RunOptions",
    "Watch",
    "choose_toolkit",
    "find_check",
    "judge_again",
    "next_queued",
    "run_check",
    "staleness",
    "toolkit_legs",
    "tools_on_path",
    "try_check",
    "with_staleness",
]
