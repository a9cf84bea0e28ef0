#!/usr/bin/env python3
"""Every method has a page whose options are those of the program.

docs/methods/NAME.md has a table that begins with `| option | default | range |` and has one row for each option, in the order
and with the defaults and ranges of `privet methods NAME --json`; it names every unit, rigor and preset.

Usage: docs_methods.py PROGRAM SOURCE_FOLDER
"""

import json
import pathlib
import subprocess
import sys

HEADER = "| option | default | range |"


def options_on(page):
    """Name, default and range of each row of the option table."""
    lines = page.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith(HEADER)]
    if len(starts) != 1:
        return None
    rows = []
    for line in lines[starts[0] + 2:]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows.append((cells[0].strip("`"), cells[1].strip("`"), cells[2].strip("`")))
    return rows


def main():
    program, source = sys.argv[1:]
    folder = pathlib.Path(source) / "docs" / "methods"
    methods = json.loads(subprocess.check_output([program, "methods", "--json"]))["methods"]
    faults = []
    for method in methods:
        path = folder / f"{method['name']}.md"
        if not path.exists():
            faults.append(f"{path}: no page")
            continue
        page = path.read_text(encoding="utf-8")
        expected = [(o["name"], o["default"], o["range"] or o["type"]) for o in method["options"]]
        found = options_on(page)
        if found is None:
            faults.append(f"{path}: not one table that begins with '{HEADER}'")
        elif found != expected:
            only = lambda a, b: "; ".join(" ".join(row) for row in a if row not in b) or "nothing (another order)"
            faults.append(f"{path}: the page has {only(found, expected)}, the program {only(expected, found)}")
        for name in method["units"] + method["rigor"] + [preset["name"] for preset in method["presets"]]:
            if f"`{name}`" not in page:
                faults.append(f"{path}: does not name `{name}`")
    known = {f"{method['name']}.md" for method in methods}
    faults += [f"{path}: no such method" for path in folder.glob("*.md") if path.name not in known]
    print("\n".join(faults) if faults else f"{len(methods)} pages agree with the program")
    sys.exit(1 if faults or not methods else 0)


main()
