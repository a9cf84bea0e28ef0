#!/usr/bin/env python3
"""Runs command-line transcripts and compares what they print.

A .test file is a list of commands, each with what is expected behind it:

    # a remark
    $ privet data make sbm -o graph --set nodes=100
    > wrote graph/graph.npz: 100 nodes, <*> edges, 0 features, 2 classes
    $ privet data info grpah
    ! privet: data: no data set 'grpah'<*>
    ? 2

`>` is a line of standard output, `!` a line of standard error, `?` the exit status (0 where it is left out).
`<*>` stands for any text within a line, a line `> ...` for any number of lines. The commands of one file run in one
empty folder, one after the other; PRIVET_FIXTURES is the folder of stored files (tests/fixtures), and the owner's key is in a
folder of its own (PRIVET_KEY), so that nothing is written to anybody's home. A file whose first line is `needs data` is
skipped where PRIVET_DATA is not set.

Usage: transcript.py PROGRAM FILE
"""

import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77


def blocks(path):
    command, expected = None, None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith("$ "):
                if command is not None:
                    yield command, expected
                command, expected = (number, line[2:]), {"out": [], "err": [], "status": 0}
            elif line.startswith(">"):
                expected["out"].append(line[2:])
            elif line.startswith("!"):
                expected["err"].append(line[2:])
            elif line.startswith("? "):
                expected["status"] = int(line[2:])
            elif line and not line.startswith("#") and line != "needs data":
                sys.exit(f"{path}:{number}: can't read this line")
    if command is not None:
        yield command, expected


def matches(expected, text):
    pattern = ""
    for line in expected:
        if line == "...":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("<*>")) + "\n"
    return re.fullmatch(pattern, text) is not None


def main():
    program, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        if file.readline().strip() == "needs data" and not os.environ.get("PRIVET_DATA"):
            print("skipped: no real graphs here: set PRIVET_DATA to a folder of native data sets")
            sys.exit(SKIPPED)
    environment = dict(os.environ)
    environment["PATH"] = os.path.dirname(os.path.abspath(program)) + ":" + environment["PATH"]
    environment["PRIVET_FIXTURES"] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures")
    count = 0
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as owner:
        environment["PRIVET_KEY"] = os.path.join(owner, "owner.key")
        for (number, command), expected in blocks(path):
            result = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                                    capture_output=True, stdin=subprocess.DEVNULL, timeout=300, check=False)
            count += 1
            wrong = []
            if not matches(expected["out"], result.stdout):
                wrong.append("standard output")
            if not matches(expected["err"], result.stderr):
                wrong.append("standard error")
            if result.returncode != expected["status"]:
                wrong.append(f"exit status {result.returncode}, expected {expected['status']}")
            if wrong:
                print(f"{path}:{number}: $ {command}\ndiffers in: {', '.join(wrong)}")
                print("--- expected\n" + "\n".join(["> " + l for l in expected["out"]] +
                                                   ["! " + l for l in expected["err"]]))
                print("--- got\n" + result.stdout + result.stderr, end="")
                sys.exit(1)
    if count == 0:
        sys.exit(f"{path}: no command in it")
    print(f"{count} commands as expected")


main()
