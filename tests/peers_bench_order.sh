#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# eval/bench_order.py on one small graph without peers: its line, its tables, its ablation, and an interrupted run.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "skipped: Python 3.10 is needed"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1 MEMPLAN_DATA="$work/data"
mkdir -p data/order
cp "$examples/nasnet_cells.json" data/order/

bench() {
  python3 "$MEMPLAN_SOURCE_DIR/eval/bench_order.py" --memplan "$MEMPLAN" --peers "$work/none" --out . --time-limit 5 "$@"
}

expect 0 bench --lines runs.jsonl
has err "no CP-SAT"
lines runs.jsonl 1
has runs.jsonl '"graph":"order/nasnet_cells.json","operators":274'
has runs.jsonl '"optimum":8417024,"bound":8417024,"proven":true'
lacks runs.jsonl '"error"'
expect 0 bench --lines runs.jsonl
lines runs.jsonl 1
expect 0 bench --lines runs.jsonl --report
has order.md "1 of 1 graphs proven"
has order.md "None is open."
lines order.csv 2

expect 0 bench --lines off.jsonl --ablation
expect 0 bench --lines off.jsonl --ablation --report
has order_ablation.md "order-commits"
finish
