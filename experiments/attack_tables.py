"""What the experiments on attacks share: runs `privet audit --attack` and keeps what was run, so that a stopped
experiment goes on where it was."""

import json
import os
import pathlib
import statistics
import subprocess
import sys

PRIVET = os.environ.get("PRIVET", "privet")


def known_methods():
    listed = json.loads(subprocess.run([PRIVET, "methods", "--json"], check=True, capture_output=True, text=True).stdout)
    rows = listed["methods"] if isinstance(listed, dict) else listed
    return {row["name"] for row in rows}


class Journal:
    """One JSON object per line: the arguments of a run and what came of it."""

    def __init__(self, folder):
        self.file = pathlib.Path(folder) / "attacks.jsonl"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.done = {}
        if self.file.exists():
            for line in self.file.read_text().splitlines():
                entry = json.loads(line)
                self.done[entry["arguments"]] = entry["attacks"]

    def run(self, arguments):
        """The attacks of one call, as the program prints them; None where it refuses."""
        key = " ".join(arguments)
        if key not in self.done:
            result = subprocess.run([PRIVET, "audit", *arguments, "--json"], capture_output=True, text=True)
            if result.returncode != 0:
                print(f"  refused: privet audit {key}\n    {result.stderr.strip()}", file=sys.stderr)
                return None
            self.done[key] = json.loads(result.stdout)["attacks"]
            with self.file.open("a") as out:
                out.write(json.dumps({"arguments": key, "attacks": self.done[key]}) + "\n")
        return self.done[key]


def area(attacks, name, variant):
    """The AUC of one attack; "no path" where it can't say anything."""
    for attack in attacks or []:
        if attack["name"] == name and attack["auc"] is None:
            return "no path"
        if attack["name"] == name and attack["variant"] == variant:
            return attack["auc"]
    return None


def average(areas):
    numbers = [one for one in areas if isinstance(one, float)]
    if not numbers:
        return "no path" if "no path" in areas else "-"
    if len(numbers) == 1:
        return f"{numbers[0]:.3f} (one run)"
    return f"{statistics.mean(numbers):.3f} +- {statistics.stdev(numbers):.3f}"
