#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# eval/peers/graph_problem.py, which reads graphs for the adapters of peers, against memplan: its plans hold there and
# have the peaks and sums that it tells, and what eval/mixed_graphs.py makes is accepted, the same from the same seed.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "skipped: Python 3.10 is needed"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$MEMPLAN_SOURCE_DIR/eval/peers"

cat >compare.py <<'END'
import json
import sys

import graph_problem

path, plan, told, io, weights, inplace = sys.argv[1:]
plan, told = (json.load(open(name)) for name in (plan, told))
problem = graph_problem.Problem(path, graph_problem.Options(io, weights, inplace))
order = [problem.ops.index(name) for name in plan["order"]]
chosen = [pair for pair in problem.pairs if list(pair.names) in plan["inplace"]]
offsets = [plan["offsets"][buffer.id] for buffer in problem.buffers]
assert len(chosen) == len(plan["inplace"]), "a pair is not known"
assert set(plan["offsets"]) == {b.id for b in problem.buffers} | set(problem.empty), "other buffers"
for key, value in (
    ("peak", problem.check_plan(order, chosen, offsets)),
    ("naive_bytes", problem.naive_bytes),
    ("weight_bytes", problem.weight_bytes),
    ("external_bytes", problem.external_bytes),
):
    assert told[key] == value, (key, told[key], value)
assert problem.order_peak(order) <= told["order_peak"], "order peak"
wrong = list(offsets)
wrong[0] = max(wrong) + 1 if problem.buffers[0].pin is None else wrong[0] + 1
moved = problem.buffers[0].period > 1 or problem.buffers[0].pin is not None
try:
    assert problem.check_plan(order, chosen, wrong) > 0 and not moved, "a wrong offset is accepted"
except ValueError:
    pass
END

for seed in 0 1 2; do
  "$MEMPLAN" gen gap --n 24 --seed $seed -o plain.json
  expect 0 python3 "$MEMPLAN_SOURCE_DIR/eval/mixed_graphs.py" plain.json --seed $seed -o mixed.json
  expect 0 python3 "$MEMPLAN_SOURCE_DIR/eval/mixed_graphs.py" plain.json --seed $seed
  cmp -s out mixed.json || fail "seed $seed gives two graphs"
  for rules in "arena external safe" "persistent resident none" "external external safe"; do
    set -- $rules
    "$MEMPLAN" solve mixed.json --io "$1" --weights "$2" --inplace "$3" --format json -q -o plan.json >told 2>err ||
      fail "memplan: $(cat err)"
    python3 compare.py mixed.json plan.json told "$@" 2>err || fail "seed $seed, $rules: $(tail -1 err)"
  done
done
has mixed.json '"view"'
has mixed.json '"pin"'
has mixed.json '"inplace"'
has mixed.json '"workspace_align"'
finish
