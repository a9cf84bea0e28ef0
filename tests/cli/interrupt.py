#!/usr/bin/env python3
"""Ends training and comparisons from outside and looks at what they leave behind.

Usage: interrupt.py PROGRAM
"""

import os
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
PATIENCE = 60  # seconds until something that must happen counts as missing


def privet(folder, *arguments):
    environment = {**os.environ, "PRIVET_KEY": os.path.join(folder, "owner.key")}
    return subprocess.Popen([PROGRAM, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def done(process):
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    return out


def wait_for(what, process):
    limit = time.monotonic() + PATIENCE
    while not what():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < limit, "waited too long"
        time.sleep(0.01)


def whole_lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line for line in file if line.endswith("\n")]


def busy(process):
    """Processor seconds used: the program has long begun to train once this is above what loading takes."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted_training(folder, number):
    process = privet(folder, "train", "--method", "mlp", "--data", "graph", "--unit", "none", "--set",
                     "epochs=1000000", "--out", "model")
    wait_for(lambda: busy(process) > 0.5, process)
    process.send_signal(number)
    begin = time.monotonic()
    out, err = process.communicate(timeout=PATIENCE)
    assert time.monotonic() - begin < 1, "it took longer than a second"
    assert process.returncode == -number, (process.returncode, err)
    assert out == "" and "interrupted" in err, (out, err)
    assert os.listdir(os.path.join(folder, "model")) == [], "something of a model is there"


def killed_comparison(folder, number, out):
    runs = 10
    arguments = ["compare", "--data", "graph", "--methods", "mlp", "--unit", "none", "--runs", str(runs), "--seed",
                 "1", "--set", "epochs=40", "--out", out]
    journal = os.path.join(folder, out, "runs.jsonl")
    process = privet(folder, *arguments)
    wait_for(lambda: len(whole_lines(journal)) >= 2, process)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == -number, process.returncode
    kept = whole_lines(journal)
    assert 2 <= len(kept) < runs, f"{len(kept)} runs were over"
    table = done(privet(folder, *arguments))
    assert whole_lines(journal)[:len(kept)] == kept, "finished runs were not kept"
    assert len(whole_lines(journal)) == runs, "finished runs were run again"
    assert len(whole_lines(os.path.join(folder, out, "results.jsonl"))) == 1
    assert done(privet(folder, *arguments)) == table


def main():
    with tempfile.TemporaryDirectory() as folder:
        done(privet(folder, "data", "make", "dcsbm", "-o", "graph", "--set", "nodes=2000"))
        interrupted_training(folder, signal.SIGINT)
        interrupted_training(folder, signal.SIGTERM)
        killed_comparison(folder, signal.SIGKILL, "killed")
        killed_comparison(folder, signal.SIGINT, "interrupted")
    print("nothing half-written, nothing lost")


main()
