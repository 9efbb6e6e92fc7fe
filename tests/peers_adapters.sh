#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The adapters of eval/peers/ on five buffers: optimum, plan and keys; skipped where eval/peers/setup has not been run.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

peers=$MEMPLAN_SOURCE_DIR/eval/peers
python=${MEMPLAN_PEERS:-$MEMPLAN_SOURCE_DIR/build/peers}/bin/python
if [ ! -x "$python" ]; then
  echo "skipped: $python is not there (eval/peers/setup makes it)"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1

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
  expect 0 "$python" "$peers/$tool.py" five.csv --plan "$tool.csv" --time-limit 10
  lines out 1
  has out '"status":"optimal","fits":null,"peak":10,"lower_bound":10,"gap":0.0'
  has out '"buffers":5'
  has out '"stop_reason":"done"'
  has out '"error":null'
  # What a line of bench holds of a placement problem, and the CPU time.
  "$MEMPLAN" bench -q --place naive five.csv >line
  for key in tool version input status peak lower_bound gap order_peak order_lower_bound order_status naive_bytes \
    reuse_ratio method seed threads stop_reason time_s nodes certificate instance order place limits error; do
    has line "\"$key\":"
    has out "\"$key\":"
  done
  has out '"cpu_s":'
  expect 0 "$MEMPLAN" verify "$tool.csv"
  cut -d, -f1-4 "$tool.csv" >same.csv
  cmp -s same.csv five.csv || fail "the plan of $tool is of other buffers"
  expect 0 "$MEMPLAN" table out

  expect 0 "$python" "$peers/$tool.py" five.csv --capacity load --time-limit 10
  has out '"capacity":10'
  has out '"fits":true'
  expect 20 "$python" "$peers/$tool.py" five.csv --capacity 9 --time-limit 10
  has out '"status":"infeasible","fits":false,"peak":null,"lower_bound":10'
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
  has out '"status":"optimal","fits":null,"peak":7,"lower_bound":7'
  has out '"order_peak":6'
  expect 20 "$python" "$peers/$tool.py" above.csv --time-limit 10 --capacity 6
  has out '"lower_bound":7'
done
expect 0 "$python" "$peers/cpsat.py" above.csv --time-limit 10 --cumulative
has out '"status":"optimal","fits":null,"peak":7,"lower_bound":7'

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
expect 0 "$python" "$peers/cpsat_order.py" pair.json --plan order.txt --time-limit 10
has out '"status":"optimal","order_peak":11,"order_lower_bound":11'
has out '"given_peak":18'
expect 0 "$MEMPLAN" solve --order order.txt --format json pair.json
has out '"order_peak":11'
finish
