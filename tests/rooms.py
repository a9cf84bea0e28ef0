#!/usr/bin/env python3
"""Checks the plan of the house: each room includes only the rooms above it (docs/architecture.md), private data is
opened only in privacy/, and randomness comes only from the streams of base/."""

import pathlib
import re
import sys

ROOMS = ["base", "tensor", "graph", "privacy", "nn", "methods", "audit", "local", "report", "cli"]
# What only one room may use, and which.
RESERVED = [
    (re.compile(r"std::mt19937|std::\w+_distribution|std::rand\b|random_device"), "base"),
    # Doors into a Secret: specialising it, its door, or the list of types that may pass.
    (re.compile(r"(class|struct)\s+Secret\s*<|\bdeclassify\s*<|bool\s+is_plain_v\w+\s*<"), "privacy"),
]

# A method is handed the log of its run. One of its own would hide what it releases: only the runner makes logs, and the samplers of audits, whose values are made up.
OWN_LOG = re.compile(r"\bReleaseLog\s+\w+\s*[;{]")
MAY_LOG = {"runner.cpp", "audit_sampler.cpp", "clipped_sums_sampler.cpp", "eclipse_published.cpp", "top_entries_sampler.cpp"}

root = pathlib.Path(sys.argv[1]) / "src" / "privet"
faults = []
files = 0
for path in sorted(root.rglob("*.[ch]pp")):
    relative = path.relative_to(root)
    if len(relative.parts) < 2:
        continue
    files += 1
    room = relative.parts[0]
    if room not in ROOMS:
        faults.append(f"{relative}: no such room")
        continue
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        included = re.match(r'\s*#include "privet/(\w+)/', line)
        if included and ROOMS.index(included.group(1)) > ROOMS.index(room):
            faults.append(f"{relative}:{number}: {room} must not know of {included.group(1)}")
        if room == "nn" and re.search(r"\bmutable\b", line.split("//")[0]):
            faults.append(f"{relative}:{number}: a network must not remember anything (nn/plain_values.hpp)")
        if room in ("nn", "methods") and OWN_LOG.search(line) and path.name not in MAY_LOG:
            faults.append(f"{relative}:{number}: a release log of its own hides what is released")
        for pattern, owner in RESERVED:
            # Each room lists its own types that may pass in one file, which privacy reviews read.
            listed = path.name == "plain_values.hpp" and line.startswith("inline constexpr bool is_plain_value<")
            if room != owner and pattern.search(line) and not listed:
                faults.append(f"{relative}:{number}: only {owner}/ may use {pattern.pattern}")
print("\n".join(faults) if faults else f"{files} files keep to their rooms")
sys.exit(1 if faults or files == 0 else 0)
