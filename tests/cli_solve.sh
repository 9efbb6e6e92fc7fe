#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memplan solve` on single files: reports, keys, exit codes, plans.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"
fixed="--order given --place first-fit-size --threads 1"

# The text report and the JSON line, to the letter.
write_abc abc.csv
expect 0 "$MEMPLAN" solve --place first-fit-size --threads 1 abc.csv
same out solve_abc.txt
empty err
expect 0 "$MEMPLAN" solve --place first-fit-size --threads 1 --format json abc.csv
same out solve_abc.json
lines out 1
cp "$examples/training_step.json" .
expect 10 "$MEMPLAN" solve $fixed --device-memory 24G training_step.json
for text in "status " "peak " "lower bound " "gap " "naive size " "reuse ratio " "device memory " "free space " \
  "F = " "inputs, outputs " "lifetimes " "methods " "time " "The fullest step is" "order given, placement first-fit-size"; do
  has out "$text"
done
[ "$(grep -c ' activation \| variable \| workspace ' out)" -ge 5 ] || fail "five buffers of the fullest step are not shown"

# JSON keys, in their fixed order.
expect 10 "$MEMPLAN" solve $fixed --format json training_step.json
keys=$(tr ',{' '\n\n' <out | sed -n 's/^"\([a-z_]*\)":.*/\1/p' | tr '\n' ' ')
expected="tool version input path format fingerprint ops tensors buffers status peak lower_bound gap order_peak \
order_lower_bound order_status naive_bytes reuse_ratio method seed threads stop_reason time_s stages_s \
bounds orders placement engine windows nogoods program certificate nodes certificate kind "
for key in $("$MEMPLAN" list json-keys --format csv | sed -n 's/^\([a-z_]*\),"solve, bench".*/\1/p'); do
  [ "$key" = error ] || has out "\"$key\":"
done
case "$keys" in
"$expected"*) ;;
*) fail "keys are: $keys" ;;
esac

# One byte short: infeasible with its witness, also among buffers that have nothing to do with it.
write_short short.csv
expect 20 "$MEMPLAN" solve --capacity 12 short.csv
has out "needs 13, 1 byte short"
has out "time 1: A (8), B (5)"
{ cat short.csv; printf 'U1,4,5,1\nU2,5,6,2\nU3,6,7,3\nU4,7,8,4\nU5,8,9,5\n'; } >more.csv
expect 20 "$MEMPLAN" solve --capacity 12 more.csv
has out "needs 13, 1 byte short"
has out "time 1: A (8), B (5)"
lacks out "U1"
expect 0 "$MEMPLAN" solve --capacity 13 short.csv
has out "fits, 0 bytes to spare"

# It fits exactly; not proven optimal is 10, within a gap or a capacity it is 0.
printf 'id,lower,upper,size\nA,0,2,524288\nB,1,3,1048576\nC,2,4,1048576\n' >exact.csv
expect 0 "$MEMPLAN" solve --capacity 2097152 exact.csv
expect 0 "$MEMPLAN" solve --capacity 2M exact.csv
expect 20 "$MEMPLAN" solve --capacity 2097151 exact.csv
expect 10 "$MEMPLAN" solve $fixed training_step.json
expect 0 "$MEMPLAN" solve $fixed --gap 50% training_step.json
expect 10 "$MEMPLAN" solve $fixed --gap 0.0001% training_step.json
expect 0 "$MEMPLAN" solve $fixed --capacity 1G training_step.json
expect 30 "$MEMPLAN" solve --place naive --capacity 12M abc.csv
has out "no plan that fits was found"
expect 10 "$MEMPLAN" solve --place naive abc.csv

expect 20 "$MEMPLAN" solve -q --capacity 12 -o over.json short.csv
expect 30 "$MEMPLAN" solve -q --place naive --capacity 12M -o over.json abc.csv
[ ! -e over.json ] || fail "a plan above the capacity was written"

# A limit of no time still gives a plan.
expect 10 "$MEMPLAN" solve --time-limit 0 --format json training_step.json
has out '"stop_reason":"time"'
has out '"peak":'
expect 0 "$MEMPLAN" solve --time-limit 0 --capacity 14680064 abc.csv
expect 10 "$MEMPLAN" solve --time-limit 0 --format json training_step.json
has out '"status":"feasible"'

# The log: a line for each improvement, with what searched, its nodes, bound, best, gap and time.
"$MEMPLAN" gen tight --n 40 --seed 4 -o tight.csv
expect 0 "$MEMPLAN" solve -v --format json tight.csv
grep -q "^source  *nodes  *bound  *best  *gap  *time$" err || fail "the log has no head"
awk '$1 == "source" { head = 1; next }
  head && NF == 7 { if (seen++ && $4 >= best && $3 <= bound) exit 1; best = $4; bound = $3; nodes = $2 }
  END { exit !(seen > 1 && best == bound && nodes > 0) }' err || fail "the log does not get better from line to line"
has out "\"peak\":$(awk 'NF == 7 { best = $4 } END { print best }' err),"

# A graph without operators: its input is live at step 0, at which nothing runs.
printf '{"format":"memplan-graph","version":1,"name":"none","tensors":[{"id":"x","bytes":240,"roles":["input"]}],"ops":[]}' >none.json
expect 0 "$MEMPLAN" solve --plot none.svg -o none.plan.json none.json
has out "The fullest step is 0: 1 buffer live, 240 bytes."
expect 0 "$MEMPLAN" solve -q --plot none.html none.json
for style in text json csv md; do
  expect 0 "$MEMPLAN" explain --format $style none.json
done
expect 20 "$MEMPLAN" explain --capacity 3 none.json

# Plans: the same bytes whatever the threads, to a file, to standard output, from standard input.
expect 0 "$MEMPLAN" solve -q --threads 1 -o one.json training_step.json
empty out
empty err
for threads in 2 3 8; do
  expect 0 "$MEMPLAN" solve -q --threads $threads -o many.json training_step.json
  cmp -s one.json many.json || fail "the plan of $threads threads differs from that of one"
done
expect 0 "$MEMPLAN" solve -o - training_step.json
cmp -s out one.json || fail "-o - does not print the plan alone"
expect 0 "$MEMPLAN" solve -q -o stdin.json - <training_step.json
cmp -s stdin.json one.json || fail "the plan of standard input differs"
mkdir folder
expect 0 "$MEMPLAN" solve -q -o folder training_step.json
cmp -s folder/training_step.json.plan.json one.json || fail "-o FOLDER does not hold the plan"
expect 0 "$MEMPLAN" solve -q --format csv training_step.json
lines out 2
expect 0 "$MEMPLAN" solve --format md training_step.json
lines out 3

# The problem's options change the problem.
expect 0 "$MEMPLAN" solve --format json --io external "$examples/mobilenet_like.onnx"
cp out external.json
expect 0 "$MEMPLAN" solve --format json "$examples/mobilenet_like.onnx"
[ "$(sed 's/.*"fingerprint":"\([^"]*\)".*/\1/' external.json)" != "$(sed 's/.*"fingerprint":"\([^"]*\)".*/\1/' out)" ] ||
  fail "--io external does not change the fingerprint"

# Pools: buffers are kept out of them and put into them by name.
printf '{"format":"memplan-instance","version":1,"buffers":[{"id":"a","bytes":4,"live":[[0,3],[7,9]]},{"id":"b","bytes":9,"live":[[2,8]]}],"pools":[{"id":"s","capacity":8},{"id":"d"}]}' >pools.json
expect 0 "$MEMPLAN" solve pools.json
has out "4 bytes, s, of 8"
has out "9 bytes, d"
expect 0 "$MEMPLAN" solve --pin-space a=d pools.json
has out "0 bytes, s, of 8"
has out "13 bytes, d"
expect 20 "$MEMPLAN" solve --pin-space b=s pools.json
has out "no plan can fit"
expect 2 "$MEMPLAN" solve --pin-space nobody=d pools.json
has err "'nobody'"

# What does not fit into several pools is named, and so is what proves a bound before any search.
cat >two.json <<'TWO'
{"format": "memplan-instance", "version": 1,
 "buffers": [{"id": "a", "bytes": 6, "live": [[0,4]]}, {"id": "b", "bytes": 6, "live": [[0,4]]},
             {"id": "c", "bytes": 6, "live": [[1,3]]}, {"id": "far", "bytes": 2, "live": [[9,10]]}],
 "pools": [{"id": "near", "capacity": 10}, {"id": "dram", "capacity": 10}]}
TWO
expect 20 "$MEMPLAN" solve two.json
has out "pools 'near', 'dram' do not hold 'a' (6), 'b' (6), 'c' (6) together, wherever they lie"
expect 20 "$MEMPLAN" solve --place optimal two.json
has out "pools 'near', 'dram' do not hold 'a' (6), 'b' (6), 'c' (6) together, wherever they lie"
printf 'id,size\na,4\nb,5\nc,6\n' >bare.csv
printf 'a,b\na,c\n' >pairs.csv
expect 0 "$MEMPLAN" solve --conflicts pairs.csv bare.csv
has out "lifetimes       none: pairs that conflict are all that keeps buffers apart"
lacks out "fragmentation"
lacks out "free space"
has out "10 bytes, 2 buffers of which no two can share a byte"
expect 0 "$MEMPLAN" solve --conflicts pairs.csv -q -o bare.plan.json bare.csv
has bare.plan.json '"kind":"clique"'
expect 0 "$MEMPLAN" verify --conflicts pairs.csv bare.csv bare.plan.json

# Bounds within limits: no more than without, and no less than those that need no search.
proven() { sed -n 's/.*"lower_bound":\([0-9]*\),.*/\1/p' out; }
for limit in "--work-limit 0" "--work-limit 1000" "--time-limit 0" "--time-limit 1h"; do
  expect 0 "$MEMPLAN" bound --format json "$examples/nasnet_cells.json"
  plain=$(proven)
  # shellcheck disable=SC2086
  expect 0 "$MEMPLAN" bound --order optimal $limit --format json "$examples/nasnet_cells.json"
  searched=$(proven)
  expect 0 "$MEMPLAN" bound --order optimal --format json "$examples/nasnet_cells.json"
  { [ "$plain" -le "$searched" ] && [ "$searched" -le "$(proven)" ]; } || fail "$limit: bounds $plain, $searched, $(proven)"
done
expect 0 "$MEMPLAN" bound --time-limit 0 --conflicts pairs.csv bare.csv
has out "no plan has a peak below"
expect 0 "$MEMPLAN" bound bare.csv --conflicts pairs.csv
has out "searches further and often proves more."

# A graph with two pools and a capacity: a, b and c are in memory together, and c may lie in one pool alone.
cat >banks.json <<'BANKS'
{"format": "memplan-graph", "version": 1, "name": "banks", "pools": [{"id": "near"}, {"id": "far"}],
 "tensors": [{"id": "a", "bytes": 6}, {"id": "b", "bytes": 5}, {"id": "c", "bytes": 4, "roles": ["output"], "pools": ["near"]}],
 "ops": [{"id": "make", "in": [], "out": ["a", "b"]}, {"id": "use", "in": ["a", "b"], "out": ["c"]}]}
BANKS
expect 0 "$MEMPLAN" solve --capacity 9 banks.json
has out "capacity        9 bytes, fits"
expect 20 "$MEMPLAN" solve --capacity 8 banks.json
has out "no plan keeps each pool within 8 bytes: "
expect 0 "$MEMPLAN" solve -q --capacity 9 -o banks.plan.json banks.json
expect 0 "$MEMPLAN" verify --capacity 9 banks.json banks.plan.json

# What says something of models alone is pointed out where there are lifetimes.
write_abc abc.csv
expect 0 "$MEMPLAN" solve --io external --order given abc.csv
has err "abc.csv: --io has no effect: it is for models, and this file holds lifetimes"
has err "abc.csv: --order has no effect: it is for models, and this file holds lifetimes"
expect 0 "$MEMPLAN" info --pin --lifetimes inclusive "$examples/training_step.json"
has err "--pin has no effect: it is for files of lifetimes, and this one holds a model"
has err "--lifetimes has no effect"
expect 0 "$MEMPLAN" solve --align 64 abc.csv
empty err

# The only order that a graph has is no choice: its load is a bound of every plan.
cat >chain.json <<'CHAIN'
{"format": "memplan-graph", "version": 1,
 "tensors": [{"id": "x", "bytes": 5, "roles": ["input"]}, {"id": "unread", "bytes": 3, "roles": ["input"]},
             {"id": "a", "bytes": 12}, {"id": "y", "bytes": 3, "roles": ["output"]}],
 "ops": [{"id": "f", "in": ["x"], "out": ["a"]}, {"id": "g", "in": ["a"], "out": ["y"]}]}
CHAIN
expect 0 "$MEMPLAN" solve chain.json
has out "20 bytes, for every order: load at step 0"
expect 0 "$MEMPLAN" bound chain.json
has out "no plan has a peak below 20 bytes"

# Weights of the order weighted-score change what it finds.
for weights in 500,300,-200 0,1,0; do
  "$MEMPLAN" solve -q --order weighted-score --score-weights $weights -o "$weights.json" "$examples/nasnet_cells.json"
done
cmp -s 500,300,-200.json 0,1,0.json && fail "--score-weights changes nothing"

# Broken input: one error, exit 2 (3 for what is not supported), nothing on standard output, no plan.
failing() {
  wanted=$1
  text=$2
  shift 2
  expect "$wanted" "$MEMPLAN" solve -o never.json --plot never.svg "$@"
  empty out
  has err "memplan: error: "
  has err "$text"
  lines err 1
  [ ! -e never.json ] || fail "a plan was written for broken input"
  [ ! -e never.svg ] || fail "a figure was drawn for broken input"
}
: >nothing.csv
failing 2 "nothing.csv" nothing.csv
failing 2 "missing.csv" missing.csv
printf 'id,lower,upper,size\nA,0,2,4.5\n' >point.csv
failing 2 "point.csv:2:" point.csv
printf 'id,lower,upper,size\nA,0:1,2:3,4\n' >clock.csv
failing 3 "clock.csv:2:" clock.csv
head -c 500 "$examples/mobilenet_like.onnx" >cut.onnx
failing 2 "cut.onnx" cut.onnx
printf 'id,lower,upper,size\n' >header.csv
expect 0 "$MEMPLAN" solve header.csv
has out "peak            0 bytes"
finish
