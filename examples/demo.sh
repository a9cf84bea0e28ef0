#!/usr/bin/env bash
# What ./dev demo shows: the best Privet has, on a graph that looks like a social network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
privet=build/privet
rm -rf demo
mkdir -p demo
export PRIVET_KEY=demo/owner.key # what the demo makes is in demo/, this too

show() { printf '\n$ %s\n' "$*"; "$@"; }

echo "A generated graph of 4,000 people: power-law degrees, friends mostly of one's own kind, and a bag of words each."
show $privet data make dcsbm -o demo/graph
show $privet data info demo/graph

printf '\nTo sum up neighbours under edge-level privacy, how much noise does epsilon 1 need, once and in four hops?\n'
show $privet calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 1.4143
show $privet calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 1.4143 --times 4
printf '\nA thousand steps of private SGD on one percent of the people each:\n'
show $privet account subsampled-gaussian --noise-multiplier 1 --rate 0.01 --steps 1000 --delta 1e-5

printf '\nWhat do the edges tell if each of them is protected? mlp reads no edge, gcn protects none; gap and ballot add noise.\n'
echo 'An experiment on generated data: with a seed, and outside of any budget.'
show $privet compare --data demo/graph --methods mlp,gap,ballot,gcn --unit edge --epsilons 1,4 --runs 3 --seed 1 --out demo/edges
printf '\nAnd if everything about a person is protected: features, label and list of friends?\n'
show $privet compare --data demo/graph --methods dp-linear,ballot --unit record --epsilons 4,16 --runs 3 --seed 1 --out demo/people

printf '\nAnd if lists of friends must never leave their owners? Everybody tells noisy numbers of its own list:\n'
show $privet compare --data demo/graph --methods ballot,hpgr --unit local-edge --epsilons 1,4 --runs 3 --seed 1 --out demo/local

printf '\nThe budget of the data set over its life, kept in a ledger. It pays for one model, which comes with a certificate:\n'
show $privet ledger init demo/graph.ledger --unit edge --cap 1.5 --delta 1e-5
show $privet train --method ballot --data demo/graph --unit edge --epsilon 1 --ledger demo/graph.ledger --no-evaluation --out demo/model
printf '\nA second one is not in the budget, and is not trained:\n'
show $privet train --method ballot --data demo/graph --unit edge --epsilon 1 --ledger demo/graph.ledger --out demo/second ||
  echo "(exit status $?: refused to protect privacy)"
printf '\nWhat the model says. Under the unit edge every prediction may be published:\n'
show $privet predict --model demo/model --data demo/graph --ledger demo/graph.ledger --nodes 0,1,2

printf '\nIs it true? An audit tries to refute a claim: that of a published method, as published, and of the same made sound (its mechanism alone).\n'
show $privet audit --method gap --rigor paper --data demo/graph --unit edge --epsilon 1 --seed 1 --out demo/audit-published ||
  echo "(exit status $?: refuted)"
show $privet audit --method gap --data demo/graph --unit edge --epsilon 1 --seed 1 --trials 2 --canaries 0 --set encoder_epochs=2 --set classifier_epochs=2 --out demo/audit-sound
printf '\nAnd what a published attack reads off a network that protects no edge:\n'
show $privet audit --method gcn --data demo/graph --unit none --attack linkteller,lpa --references no --seed 1 --out demo/attacks

printf '\nAll of it on one page, for somebody who answers for the data:\n'
show $privet report demo

cat <<'TXT'

Everything is in demo/: the graph, the results, the model with its certificate, the ledger, the audits, the curves of the
attacks. Open demo/report.html in a browser to read it.
TXT
