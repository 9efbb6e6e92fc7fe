#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# eval/bench_ilp.py on graphs of seven operators: its lines, its tables, and an interrupted run.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "skipped: Python 3.10 is needed"
  exit 77
fi
if "$MEMPLAN" list methods --format csv | grep -q 'has no GLPK'; then
  echo "skipped: this build has no GLPK"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
unset MEMPLAN_DATA

bench() {
  python3 "$MEMPLAN_SOURCE_DIR/eval/bench_ilp.py" --memplan "$MEMPLAN" --out . --lines runs.jsonl "$@"
}

expect 0 bench --sizes 7 --count 1 --time-limit 30
lines runs.jsonl 10
has runs.jsonl '"graph":"gen gap --n 7 --fill 100 --seed 0","family":"gap","operators":7,"form":"ilp-joint"'
has runs.jsonl '"error":null'
lacks runs.jsonl '"error":"'
lines ilp.csv 11
expect 0 bench --sizes 7 --count 1 --time-limit 30
lines runs.jsonl 10
rm ilp.csv ilp.md
expect 0 bench --report
has ilp.md "| ilp-order | layered | 7 |"
finish
