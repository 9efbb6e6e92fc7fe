#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Presolve takes most of an instance away before it is searched; the certificate speaks of the instance as it is.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

for seed in 2 11; do # with an optimum above the load
  "$MEMPLAN" gen tight --n 30 --seed $seed -o tight.csv || fail "gen"
  # One below everything, as long as all of them, and small ones in their shadow.
  cp tight.csv more.csv
  printf 'low,0,100,1000\nx,20,60,10\ny,40,80,9\nz,99,100,7\n' >>more.csv
  expect 0 "$MEMPLAN" solve --format json --certificate plain.jsonl tight.csv
  plain=$(sed 's/.*"peak":\([0-9]*\).*/\1/' out)
  expect 0 "$MEMPLAN" solve --format json --certificate more.jsonl more.csv
  has out '"status":"optimal"'
  has out "\"peak\":$((plain + 1000))"
  head -1 more.jsonl | grep -q '"kind":"clauses"' || fail "seed $seed: the optimum is the load"
  head -1 more.jsonl | grep -q '"low"' || fail "seed $seed: the certificate leaves out what was at the bottom"
  expect 0 "$MEMPLAN" check --format json more.csv more.jsonl
  has out '"proven":true,"kind":"clauses"'
  has out "\"claim\":$((plain + 1000)),"
  # Neither certificate is one for the other.
  expect 1 "$MEMPLAN" check more.csv plain.jsonl
  expect 1 "$MEMPLAN" check tight.csv more.jsonl
done

finish
