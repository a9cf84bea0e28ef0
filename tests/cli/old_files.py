#!/usr/bin/env python3
"""Files that version 0.1 wrote load, check and predict as they did then: tests/fixtures/version_0.1 has a model of
every unit with its certificate and predictions, a ledger and the documents of a comparison and of an audit."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

program, fixtures = sys.argv[1], pathlib.Path(sys.argv[2])
faults = []


def run(*arguments, cwd):
    return subprocess.run([program, *arguments], cwd=cwd, capture_output=True, text=True, check=False)


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def same_table(ours, theirs):
    """Labels and names agree; probabilities to the last digit but one that is printed."""
    left, right = ours.splitlines(), theirs.splitlines()
    if len(left) != len(right):
        return False
    for a, b in zip(left, right):
        for x, y in zip(a.split(","), b.split(","), strict=True):
            if x != y and (number(x) is None or number(y) is None or abs(number(x) - number(y)) > 2e-6):
                return False
    return True


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch) / "files"
    shutil.copytree(fixtures, folder)
    key = pathlib.Path(scratch) / "home" / ".local" / "state" / "privet" / "owner.key"
    key.parent.mkdir(parents=True)
    shutil.copy(folder / "owner.key", key)
    key.chmod(0o600)
    (folder / "friends.ledger").chmod(0o600)
    os.environ["HOME"] = str(pathlib.Path(scratch) / "home")
    os.environ.pop("XDG_STATE_HOME", None)
    models = sorted(path.parent.name for path in folder.glob("*/model.json"))
    for model in models:
        checked = run("certificate", f"{model}/certificate.json", "--json", cwd=folder)
        if checked.returncode != 0:
            faults.append(f"{model}: certificate: {checked.stderr.strip()}")
        ledger = ["--ledger", "friends.ledger"] if model.endswith("_secure") else []
        predicted = run("predict", "--model", model, "--data", "friends", *ledger, "--out", "again.csv", cwd=folder)
        if predicted.returncode != 0:
            faults.append(f"{model}: predict: {predicted.stderr.strip()}")
        elif not same_table((folder / "again.csv").read_text(), (folder / model / "predictions.csv").read_text()):
            faults.append(f"{model}: predictions differ")
        (folder / "again.csv").unlink(missing_ok=True)
    verified = run("ledger", "verify", "friends.ledger", cwd=folder)
    if verified.returncode != 0:
        faults.append(f"ledger: {verified.stderr.strip()}")
    shown = run("ledger", "show", "friends.ledger", "--json", cwd=folder)
    if shown.returncode != 0 or json.loads(shown.stdout) != json.loads((folder / "ledger.json").read_text()):
        faults.append("ledger: shows something else")
    pages = folder / "pages"
    for name in ("results.jsonl", "audit.json", "attacks.json"):
        (pages / name.split(".")[0]).mkdir(parents=True)
        shutil.copy(folder / name, pages / name.split(".")[0] / name)
    report = run("report", "pages", cwd=folder)
    if report.returncode != 0:
        faults.append(f"report: {report.stderr.strip()}")

print("\n".join(faults) if faults else f"{len(models)} models, a ledger and three documents of version 0.1")
sys.exit(1 if faults or len(models) < 15 else 0)
