#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The adapters of eval/peers/ on small problems: optima, plans and keys; skipped where eval/peers/setup has not been run.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

peers=$MEMPLAN_SOURCE_DIR/eval/peers
python=${MEMPLAN_PEERS:-$MEMPLAN_SOURCE_DIR/build/peers}/bin/python
if [ ! -x "$python" ]; then
  echo "skipped: $python is not there (eval/peers/setup makes it)"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1

# The keys of memplan's line, in its order, and the CPU time; memplan's stages are its own.
same_keys() {
  "$python" - "$1" "$2" <<'END' || fail "the keys of $2 are others than those of $1"
import json
import sys

own, peer = (list(json.loads(open(path).read())) for path in sys.argv[1:])
sys.exit([*(key for key in own if key != "stages_s"), "cpu_s"] != peer)
END
}

# a beside b, then c, d, e: the load is 10, and two rows of buffers meet it.
cat >five.csv <<'END'
id,lower,upper,size
a,0,4,4
b,0,2,6
c,2,6,6
d,4,8,4
e,6,8,6
END
for tool in supermalloc cpsat; do
  mark=$("$MEMPLAN" info five.csv --format json | sed 's/.*"fingerprint":"\([^"]*\)".*/\1/')
  expect 0 "$python" "$peers/$tool.py" five.csv --plan "$tool.json" --fingerprint "$mark" --time-limit 10
  lines out 1
  has out '"status":"optimal","peak":10,"lower_bound":10,"gap":0.0'
  has out '"buffers":5'
  has out '"stop_reason":"done"'
  has out '"error":null'
  "$MEMPLAN" bench -q --place naive five.csv >line
  same_keys line out
  expect 0 "$MEMPLAN" verify five.csv "$tool.json"
  expect 0 "$MEMPLAN" table out

  expect 0 "$python" "$peers/$tool.py" five.csv --capacity load --time-limit 10
  has out '"capacity":10'
  has out '"fits":true'
  expect 20 "$python" "$peers/$tool.py" five.csv --capacity 9 --time-limit 10
  has out '"status":"infeasible","peak":null,"lower_bound":10'
  has out '"fits":false'
done

# Load 6, optimum 7 (by enumeration of all offsets): the bound has to come from the search.
cat >above.csv <<'END'
id,lower,upper,size
a,1,4,1
b,4,5,2
c,3,5,2
d,2,5,2
e,0,2,4
f,2,4,1
g,0,1,2
h,1,3,1
END
for tool in supermalloc cpsat; do
  expect 0 "$python" "$peers/$tool.py" above.csv --time-limit 10
  has out '"status":"optimal","peak":7,"lower_bound":7'
  has out '"order_peak":6'
  expect 20 "$python" "$peers/$tool.py" above.csv --time-limit 10 --capacity 6
  has out '"lower_bound":7'
done
expect 0 "$python" "$peers/cpsat.py" above.csv --time-limit 10 --cumulative
has out '"status":"optimal","peak":7,"lower_bound":7'

# What a peer would silently place otherwise is refused.
printf 'id,lower,upper,size,alignment\na,0,2,4,8\n' >aligned.csv
expect 2 "$python" "$peers/supermalloc.py" aligned.csv
has out 'aligned.csv:2: the peers know neither alignments nor gaps'
printf 'id,lower,upper\na,0,2\n' >short.csv
expect 2 "$python" "$peers/supermalloc.py" short.csv
has out 'the columns size are missing'

# Orders: two operators that each need much for a moment, of which the second is better run first.
cat >pair.json <<'END'
{"format":"memplan-graph","version":1,
 "tensors":[{"id":"x","bytes":1,"roles":["input"]},{"id":"a","bytes":8},{"id":"b","bytes":9},{"id":"c","bytes":1},
            {"id":"d","bytes":1},{"id":"y","bytes":1,"roles":["output"]}],
 "ops":[{"id":"A","in":["x"],"out":["a"]},{"id":"B","in":["x"],"out":["b"]},{"id":"C","in":["a"],"out":["c"]},
        {"id":"D","in":["b"],"out":["d"]},{"id":"Y","in":["c","d"],"out":["y"]}]}
END
mark=$("$MEMPLAN" info pair.json --format json | sed 's/.*"fingerprint":"\([^"]*\)".*/\1/')
expect 0 "$python" "$peers/cpsat_order.py" pair.json --plan order.json --fingerprint "$mark" --time-limit 10
has out '"order_peak":11,"order_lower_bound":11,"order_status":"optimal"'
"$MEMPLAN" bench -q --order given --place naive pair.json >line
same_keys line out
expect 0 "$MEMPLAN" verify pair.json order.json
expect 0 "$MEMPLAN" solve --order order.json --format json pair.json
has out '"order_peak":11'

# Order and offsets together, with views, pieces, pairs, workspaces, alignments and pins: the same optima.
seed=0
for options in "" "--inplace none --io persistent" "--inputs-writable --align 4"; do
  seed=$((seed + 1))
  "$MEMPLAN" gen layered --n 9 --seed $seed -o plain.json
  "$python" "$MEMPLAN_SOURCE_DIR/eval/mixed_graphs.py" plain.json --seed $seed -o mixed.json || fail "no mixed graph"
  # shellcheck disable=SC2086
  "$MEMPLAN" solve mixed.json $options --format json -q >told
  optimum=$(sed 's/.*"peak":\([0-9]*\),"lower_bound":\1,.*/\1/' told)
  mark=$(sed 's/.*"fingerprint":"\([^"]*\)".*/\1/' told)
  # shellcheck disable=SC2086
  expect 0 "$python" "$peers/cpsat_joint.py" mixed.json $options --plan plan.json --fingerprint "$mark" --time-limit 20
  has out "\"status\":\"optimal\",\"peak\":$optimum,\"lower_bound\":$optimum,"
  cp out joint
  # shellcheck disable=SC2086
  expect 0 "$MEMPLAN" verify mixed.json plan.json $options
done
"$MEMPLAN" bench -q --order given --place first-fit-size mixed.json --align 4 --inputs-writable >line
same_keys line joint
expect 2 "$python" "$peers/cpsat_order.py" mixed.json
has out 'has pins, which bind orders'
finish
