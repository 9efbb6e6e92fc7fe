#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that we write are read by other solvers, and the solution files that those write lead back to the optimum.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

python=${MEMPLAN_PEERS:-$MEMPLAN_SOURCE_DIR/build/peers}/bin/python
if [ ! -x "$python" ]; then
  echo "skipped: $python is not there (eval/peers/setup makes it)"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1

"$MEMPLAN" gen gap --n 9 --seed 2 -o graph.json
optimum=$("$MEMPLAN" solve graph.json --format json | sed 's/.*"peak":\([0-9]*\).*/\1/')
ran=0
for solver in highs scip cbc gurobi; do
  for form in lp mps; do
    for method in ilp-joint ilp-joint-steps; do
      expect 0 "$MEMPLAN" convert graph.json --to $form --method $method -o program.$form
      "$python" "$MEMPLAN_SOURCE_DIR/eval/peers/mip.py" program.$form --solver $solver --solution answer.sol \
        --plan told.plan.json --model graph.json --memplan "$MEMPLAN" >told 2>refusal && code=0 || code=$?
      if [ $code -eq 77 ]; then
        cat refusal
        break 2
      fi
      [ $code -eq 0 ] || fail "$solver ended with $code: $(cat refusal)"
      has told "\"status\":\"optimal\",\"peak\":$optimum,"
      has told "\"floating_bound\":$optimum,"
      expect 0 "$MEMPLAN" verify graph.json told.plan.json
      expect 0 "$MEMPLAN" convert graph.json --method $method --solution answer.sol -o answer.plan.json
      expect 0 "$MEMPLAN" verify graph.json answer.plan.json --format json
      has out "\"peak\":$optimum,"
      ran=1
    done
  done
done
[ $ran -eq 1 ] || exit 77
finish
