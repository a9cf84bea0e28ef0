#!/usr/bin/env bash
# What ./dev demo shows: the best Privet has, on a graph that looks like a social network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
privet=build/privet
rm -rf demo
mkdir -p demo

show() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }
[ -t 1 ] || show() { printf '\n$ %s\n' "$*"; "$@"; }

echo "A generated graph of 4,000 people: power-law degrees, friends mostly of one's own kind, and a bag of words each."
show $privet data make dcsbm -o demo/graph
show $privet data info demo/graph

cat <<'TXT'

To come in this demo: training with and without privacy on this graph, the comparison, the certificate and the report.
TXT
