#!/usr/bin/env bash
# What ./dev demo shows: the best Privet has, on a graph that looks like a social network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
privet=build/privet
rm -rf demo
mkdir -p demo

show() { printf '\n$ %s\n' "$*"; "$@"; }

echo "A generated graph of 4,000 people: power-law degrees, friends mostly of one's own kind, and a bag of words each."
show $privet data make dcsbm -o demo/graph
show $privet data info demo/graph

printf '\nTo sum up neighbours under edge-level privacy, how much noise does epsilon 1 need, once and in four hops?\n'
show $privet calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 1.4143
show $privet calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 1.4143 --times 4
printf '\nA thousand steps of private SGD on one percent of the people each:\n'
show $privet account subsampled-gaussian --noise-multiplier 1 --rate 0.01 --steps 1000 --delta 1e-5
printf '\nThe budget of the data set over its life, kept in a ledger:\n'
show $privet ledger init demo/graph.ledger --unit edge --cap 4 --delta 1e-6
show $privet ledger show demo/graph.ledger

cat <<'TXT'

To come in this demo: training with and without privacy on this graph, the comparison, the certificate and the report.
TXT
