#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A build without OpenMP and GLPK makes the same plans, byte for byte, and says what it lacks.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

for model in nasnet_cells training_step; do
  "$MEMPLAN" solve --threads 2 -o threads.json "$examples/$model.json" >/dev/null 2>&1
  expect $? "$MEMPLAN_PLAIN" solve --threads 2 -o plain.json "$examples/$model.json"
  cmp threads.json plain.json || fail "$model: the plans differ"
done
expect 3 "$MEMPLAN_PLAIN" solve --place ilp-place "$examples/nasnet_cells.json"
has err "this build has no GLPK"
finish
