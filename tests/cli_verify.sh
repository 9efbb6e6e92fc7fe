#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memplan verify`: valid plans, stale plans, offsets in the file itself.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

write_abc abc.csv
expect 0 "$MEMPLAN" solve -q -o plan.json abc.csv
expect 0 "$MEMPLAN" verify abc.csv plan.json
has out "plan.json: valid for abc.csv: peak 10,485,760 bytes, 3 buffers placed"
expect 0 "$MEMPLAN" verify -q abc.csv plan.json
empty out
expect 0 "$MEMPLAN" verify --format json abc.csv plan.json
has out '"valid":true'
has out '"bound_checked":true'
expect 0 "$MEMPLAN" verify abc.csv plan.json
has out "; lower bound 10,485,760 shown by its witness"

# A bound that the witness does not show is not vouched for; one above the peak is refused.
expect 10 "$MEMPLAN" solve -q --place naive -o loose.json abc.csv
sed 's/"status": *"feasible"/"status": "optimal"/; s/"lower_bound": *[0-9]*/"lower_bound": 14680064/' loose.json >forged.json
expect 0 "$MEMPLAN" verify abc.csv forged.json
has out "; lower bound 14,680,064 not checked: see memplan check"
expect 0 "$MEMPLAN" verify --format json abc.csv forged.json
has out '"bound_checked":false'
sed 's/"lower_bound": *[0-9]*/"lower_bound": 14680065/' loose.json >forged.json
expect 1 "$MEMPLAN" verify abc.csv forged.json

# A's last reader is now an asynchronous copy: the old plan is for another problem, and wrong for this one.
sed 's/^A,0,3/A,0,5/' abc.csv >changed.csv
expect 1 "$MEMPLAN" verify changed.csv plan.json
same out verify_changed.txt
expect 1 "$MEMPLAN" verify --format json changed.csv plan.json
has out '"valid":false'
has out '"kind":"fingerprint"'
has out '"first":"A","second":"C","step":3'
expect 1 "$MEMPLAN" verify --format csv changed.csv plan.json
has out "kind,first,second,step,low,high,text"
expect 0 "$MEMPLAN" solve --format json changed.csv
has out '"peak":14680064'
# Two buffers of one size swapped: the geometry may pass, the fingerprint does not.
printf 'id,lower,upper,size\nA,0,2,4\nB,2,4,4\n' >first.csv
printf 'id,lower,upper,size\nB,0,2,4\nA,2,4,4\n' >second.csv
expect 0 "$MEMPLAN" solve -q -o swap.json first.csv
expect 1 "$MEMPLAN" verify second.csv swap.json
has out "fingerprint"

has err "the plan was made for another problem than this: its buffers are those here, so that sizes, lifetimes or rules differ"
sed 's/^B,/C,/' second.csv >third.csv
expect 1 "$MEMPLAN" verify third.csv swap.json
has err "1 of its buffers is not here (as 'B'), 1 of the buffers here is not in it (as 'C')"

# A model under another name, and one with another operator.
nasnet=$examples/nasnet_cells.json
expect 0 "$MEMPLAN" solve -q -o cells.json --certificate cells.cert "$nasnet"
sed 's/"name": *"nasnet_cells"/"name": "renamed"/' "$nasnet" >renamed.json
expect 1 "$MEMPLAN" verify renamed.json cells.json
has err "another problem than this: only the name differs: it was 'nasnet_cells' then and is 'renamed' here"
expect 1 "$MEMPLAN" verify --capacity 100M renamed.json cells.json
has err "another problem than this: only the name differs"
expect 1 "$MEMPLAN" check renamed.json cells.cert
has err "only the name differs: it was 'nasnet_cells' then and is 'renamed' here"
expect 0 "$MEMPLAN" verify "$nasnet" cells.json
empty err

# Beyond a capacity: the buffer that ends last speaks for the others.
expect 1 "$MEMPLAN" verify --capacity 1M "$nasnet" cells.json
has out "bytes beyond the capacity 1048576; at least "
[ "$(grep -c 'capacity:' out)" = 1 ] || fail "a line for each buffer beyond the capacity"
expect 1 "$MEMPLAN" verify -v --capacity 1M "$nasnet" cells.json
[ "$(grep -c 'capacity:' out)" = 100 ] || fail "not all lines with -v"
# A plan remembers the options it was made with; options given to verify win.
model=$examples/transformer_kv.onnx
expect 0 "$MEMPLAN" solve -q --dim batch=1 --dim past=128 --io persistent --inplace none --align 64 -o model.json \
  "$model"
expect 0 "$MEMPLAN" verify "$model" model.json
expect 1 "$MEMPLAN" verify --align 128 "$model" model.json
expect 1 "$MEMPLAN" verify --dim past=64 "$model" model.json
expect 0 "$MEMPLAN" solve -q --dim N=4 --io external -o flow.json "$examples/control_flow.onnx"
expect 0 "$MEMPLAN" verify "$examples/control_flow.onnx" flow.json

# The offsets of a file of lifetimes.
printf 'id,lower,upper,size,offset\na,0,3,4,0\nb,2,9,4,4\n' >placed.csv
expect 0 "$MEMPLAN" verify placed.csv
has out "peak 8 bytes"
expect 1 "$MEMPLAN" verify --capacity 7 placed.csv
has out "  capacity: 'b' ends at 8, 1 byte beyond the capacity 7"
lines out 2
printf 'id,lower,upper,size,offset\na,0,3,4,0\nb,2,9,4,0\n' >colliding.csv
expect 1 "$MEMPLAN" verify colliding.csv
has out "overlap"
expect 2 "$MEMPLAN" solve --pin colliding.csv
has err "2"
has err "3"
expect 0 "$MEMPLAN" solve colliding.csv
printf 'id,lower,upper,size,alignment,offset\na,0,3,4,8,4\n' >misaligned.csv
expect 1 "$MEMPLAN" verify misaligned.csv
has out "alignment"
expect 2 "$MEMPLAN" solve --pin misaligned.csv
printf 'id,lower,upper,size,offset\na,0,3,4,0\nb,2,9,4,-1\n' >partial.csv
expect 1 "$MEMPLAN" verify partial.csv
has out "'b'"
expect 2 "$MEMPLAN" verify abc.csv
has err "no buffer has an offset"
expect 2 "$MEMPLAN" verify "$examples/mobilenet_like.onnx"
has err "give the plan too"

# Options that a plan does not hold have to be repeated, and options given in vain left out: verify says so.
expect 0 "$MEMPLAN" solve -q --pin -o pinned.json placed.csv
expect 1 "$MEMPLAN" verify placed.csv pinned.json
has err "the plan was made with --pin: give it here too"
expect 0 "$MEMPLAN" verify --pin placed.csv pinned.json
lacks err "note"
expect 0 "$MEMPLAN" solve -q -o plain.json placed.csv
expect 1 "$MEMPLAN" verify --pin placed.csv plain.json
has err "leave out those given here"
printf 'id,lower,upper,size\na,0,3,4\na,2,9,4\n' >twice.csv
expect 0 "$MEMPLAN" solve -q --dup-ids rename -o twice.json twice.csv
expect 2 "$MEMPLAN" verify twice.csv twice.json
expect 0 "$MEMPLAN" verify --dup-ids rename twice.csv twice.json
expect 1 "$MEMPLAN" verify changed.csv plan.json
lines err 1
expect 2 "$MEMPLAN" verify plan.json abc.csv
has err "plan.json is the plan: the problem comes first"

# A plan that was read is drawn as the one that was written.
for model in nasnet_cells.json training_step.json transformer_kv.onnx control_flow.onnx; do
  case $model in
  transformer_kv.onnx) dims="--dim batch=1 --dim past=128" ;;
  control_flow.onnx) dims="--dim N=4" ;;
  *) dims="" ;;
  esac
  # shellcheck disable=SC2086
  "$MEMPLAN" solve -q $dims -o drawn.json --plot solved.svg "$examples/$model"
  expect 0 "$MEMPLAN" verify -q --plot verified.svg "$examples/$model" drawn.json
  for figure in solved verified; do
    grep -e '^<rect' -e '^<path' $figure.svg >$figure.shapes
  done
  cmp -s solved.shapes verified.shapes || fail "the plan of $model is drawn otherwise after reading"
done
expect 0 "$MEMPLAN" verify -q --plot abc.html abc.csv plan.json
expect 0 "$MEMPLAN" verify -q --plot placed.svg placed.csv
expect 1 "$MEMPLAN" verify --plot never.svg changed.csv plan.json
has err "not drawn"
[ ! -e never.svg ] || fail "a plan that is not valid was drawn"
expect 2 "$MEMPLAN" verify --plot never.png abc.csv plan.json

# Broken plans.
printf '{"format": "memplan-plan"' >cut.json
expect 2 "$MEMPLAN" verify abc.csv cut.json
empty out
has err "cut.json"
sed 's/"A": *0/"A": 1/; s/"A":0/"A":1/' plan.json >moved.json
cmp -s plan.json moved.json || expect 1 "$MEMPLAN" verify abc.csv moved.json
sed 's/"status": *"optimal"/"status": "perfect"/' plan.json >status.json
expect 2 "$MEMPLAN" verify abc.csv status.json
sed 's/"io":"arena"/"io":"nowhere"/' plan.json >io.json
expect 2 "$MEMPLAN" verify abc.csv io.json
has err "problem.io"
finish
