#!/usr/bin/env python3
"""Checks the plan of the house: each room includes only the rooms above it (docs/architecture.md), private data is
opened only in core/ and read only by its mechanisms, and randomness comes only from the streams of base/."""

import pathlib
import re
import sys

ROOMS = ["base", "tensor", "graph", "accounting", "core", "proof", "reports", "nn", "learn", "methods", "run", "audit",
         "report", "app", "capi", "cli"]
# What only one room may use, and which.
RESERVED = [
    (re.compile(r"std::mt19937|std::\w+_distribution|std::rand\b|random_device"), "base"),
    # Doors into a Secret: specialising it, its door, or the list of types that may pass.
    (re.compile(r"(class|struct)\s+Secret\s*<|\bdeclassify\s*<|bool\s+is_plain_v\w+\s*<"), "core"),
]

# The key to a Secret: named by its own file, by secret.hpp and by mechanisms, and by nothing else.
OPENING = re.compile(r"\b(Opening|OpeningBy)\b|core/opening\.hpp")
MAY_OPEN = ("core/opening.hpp", "core/secret.hpp", "core/mechanisms/")

# Which row a unit is. Everybody else asks what it protects and how far it reaches.
KIND_OF_UNIT = re.compile(r"\bUnit::Kind\b|\bunit_?(\(\))?\.kind\(\)")
MAY_ASK_FOR_KIND = ("core/unit.hpp", "core/unit.cpp", "core/reach.cpp")

# A method is handed the log of its run. One of its own would hide what it releases: only the runner makes logs, and the samplers of audits, whose values are made up.
OWN_LOG = re.compile(r"\bReleaseLog\s+\w+\s*[;{]")
MAY_LOG = {"runner.cpp", "audit_sampler.cpp", "clipped_sums_sampler.cpp", "eclipse_published.cpp", "top_entries_sampler.cpp"}

# Which other families of methods a family may use.
FAMILIES = {"ballot": [], "caribou": [], "dpdgc": [], "gap": [], "subgraphs": [], "released": ["plain"], "lists": [],
            "features": [], "plain": []}

# What a reviewer must read to believe a mechanism stays small, and docs/privacy/review.md lists all of it.
MOST_CORE_LINES = 7000

project = pathlib.Path(sys.argv[1])
root = project / "src" / "privet"
review = (project / "docs" / "privacy" / "review.md").read_text(encoding="utf-8")
core_lines = 0
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
    family = relative.parts[1] if room == "methods" and len(relative.parts) > 2 else None
    if family is not None and family not in FAMILIES:
        faults.append(f"{relative}: no such family of methods")
        continue
    if room == "core":
        core_lines += path.read_text(encoding="utf-8").count("\n")
        if f"`{relative}`" not in review:
            faults.append(f"{relative}: missing in docs/privacy/review.md")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        included = re.match(r'\s*#include "privet/(\w+)/', line)
        if included and ROOMS.index(included.group(1)) > ROOMS.index(room):
            faults.append(f"{relative}:{number}: {room} must not know of {included.group(1)}")
        other = re.match(r'\s*#include "privet/methods/(\w+)/', line)
        if family is not None and other and other.group(1) not in [family, *FAMILIES[family]]:
            faults.append(f"{relative}:{number}: {family} must not know of {other.group(1)}")
        if room == "nn" and re.search(r"\bmutable\b", line.split("//")[0]):
            faults.append(f"{relative}:{number}: a network must not remember anything (nn/plain_values.hpp)")
        if room in ("nn", "learn", "methods", "run") and OWN_LOG.search(line) and path.name not in MAY_LOG:
            faults.append(f"{relative}:{number}: a release log of its own hides what is released")
        if OPENING.search(line) and not relative.as_posix().startswith(MAY_OPEN):
            faults.append(f"{relative}:{number}: only mechanisms hold the key to a Secret")
        if KIND_OF_UNIT.search(line) and relative.as_posix() not in MAY_ASK_FOR_KIND:
            faults.append(f"{relative}:{number}: ask what the unit protects, not which one it is (core/unit.hpp)")
        if '#include "privet/core/opening.hpp"' in line and relative.suffix == ".hpp" and relative.name != "opening.hpp":
            faults.append(f"{relative}:{number}: a header that defines the key hands it to everybody")
        for pattern, owner in RESERVED:
            # Each room lists its own types that may pass in one file, which privacy reviews read.
            listed = path.name == "plain_values.hpp" and line.startswith("inline constexpr bool is_plain_value<")
            if room != owner and pattern.search(line) and not listed:
                faults.append(f"{relative}:{number}: only {owner}/ may use {pattern.pattern}")
for name in re.findall(r"`(core/[^`]+\.[ch]pp)`", review):
    if not (root / name).exists():
        faults.append(f"docs/privacy/review.md: no file {name}")
if core_lines > MOST_CORE_LINES:
    faults.append(f"core/ has {core_lines} lines, more than the {MOST_CORE_LINES} that somebody can be asked to read")
print("\n".join(faults) if faults else f"{files} files keep to their rooms")
sys.exit(1 if faults or files == 0 else 0)
