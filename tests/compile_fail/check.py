"""check.py CASE COMPILER FLAGS...: with -DFORBIDDEN the case does not compile, and for the reason in its first line."""

import os
import subprocess
import sys


def main():
    case, *compiler = sys.argv[1:]
    with open(case, encoding="utf-8") as source:
        text = source.read()
    first_line = text.splitlines()[0]
    if not first_line.startswith("// expect: ") or text.count("#ifdef FORBIDDEN") != 1 or "#else" not in text:
        return f"{case}: wants a first line '// expect: TEXT' and one '#ifdef FORBIDDEN' with a healthy twin"
    expected = first_line.removeprefix("// expect: ")
    # Other languages would have other texts.
    environment = {**os.environ, "LC_ALL": "C"}
    forbidden = subprocess.run(
        [*compiler, "-DFORBIDDEN", case], capture_output=True, text=True, env=environment, check=False
    )
    if forbidden.returncode == 0:
        return f"{case}: what is forbidden compiles"
    if expected not in forbidden.stderr:
        return f"it fails, but not by '{expected}':\n{forbidden.stderr}"
    return 0


sys.exit(main())
