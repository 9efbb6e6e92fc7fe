#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memplan explain`: what fills the memory, what blocks a capacity, what keeps two buffers apart.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

expect 0 "$MEMPLAN" explain --help
has out "--pair A B"
has out "Example:"
write_abc abc.csv
expect 0 "$MEMPLAN" explain abc.csv
same out explain_abc.txt
empty err
expect 0 "$MEMPLAN" explain -q abc.csv
empty out
expect 0 "$MEMPLAN" explain --format csv abc.csv
has out "bytes,offset,start,end,id,operator,pool"
has out "6291456,,1,4,B,,"
lines out 3

# Capacities: fits, does not by load, does not although no time needs more.
expect 0 "$MEMPLAN" explain --capacity 10M abc.csv
has out "It fits into the capacity: there is a plan of 10,485,760 bytes."
expect 20 "$MEMPLAN" explain --capacity 8M abc.csv
same out explain_short.txt
expect 20 "$MEMPLAN" explain --capacity 8M --format json abc.csv
same out explain_short.json
printf 'id,lower,upper,size,alignment\nbystander,20,30,9,1\na,0,3,5,4\nb,0,2,4,4\nc,1,3,3,4\n' >aligned.csv
expect 20 "$MEMPLAN" explain --capacity 12 aligned.csv
same out explain_aligned.txt
expect 20 "$MEMPLAN" explain --capacity 12 --format csv aligned.csv
lacks out bystander
expect 0 "$MEMPLAN" explain --capacity 16 aligned.csv
expect 20 "$MEMPLAN" explain --capacity 3 abc.csv
has out "This buffer alone needs 6,291,456 bytes"
# A pin far above the capacity, beyond what searches count in.
cat >far.json <<'FAR'
{"format": "memplan-instance", "version": 1,
 "buffers": [{"id": "a", "bytes": 4, "live": [[0, 2]], "pin": 2305843009213693951}, {"id": "b", "bytes": 4, "live": [[1, 3]]}]}
FAR
expect 20 timeout 20 "$MEMPLAN" explain --capacity 10 far.json
has out "This buffer alone needs 2,305,843,009,213,693,955 bytes"
cat >pools.json <<'POOLS'
{"format": "memplan-instance", "version": 1, "name": "pools", "lifetimes": "half-open",
 "buffers": [{"id": "a", "bytes": 60, "live": [[0,4]], "pools": ["near"]},
             {"id": "b", "bytes": 50, "live": [[2,6]], "pools": ["near"]},
             {"id": "c", "bytes": 70, "live": [[0,6]]}],
 "pools": [{"id": "near", "capacity": 100}, {"id": "far", "capacity": 200}]}
POOLS
expect 20 "$MEMPLAN" explain pools.json
has out "It does not fit into pool 'near' of 100 bytes: it needs at least 110, 10 bytes short."
sed 's/"bytes": 50/"bytes": 40/' pools.json >roomy.json
expect 0 "$MEMPLAN" explain roomy.json
expect 20 "$MEMPLAN" explain --capacity 90 roomy.json

# What a pool has to hold is shown by what may lie in it.
sed 's/"bytes": 70, "live": \[\[0,6\]\]/"bytes": 70, "live": [[0,6]], "pools": ["far"]/; s/, "capacity": [0-9]*//g' \
  pools.json >apart.json
expect 0 "$MEMPLAN" bound --format csv apart.json
has out 'pool,110,"placement, pool near",2,,"a (60), b (50)"'

# A pool is named where its buffers fit in no way though no time needs too much, and where no order helps.
cat >apart.json <<'POOLS'
{"format": "memplan-instance", "version": 1, "lifetimes": "half-open",
 "buffers": [{"id": "a", "bytes": 6, "live": [[0,1]], "pools": ["near"]}, {"id": "b", "bytes": 6, "live": [[2,3]], "pools": ["near"]},
             {"id": "c", "bytes": 7, "live": [[0,3]]}],
 "separate": [["a", "b"]],
 "pools": [{"id": "near", "capacity": 10}, {"id": "far", "capacity": 20}]}
POOLS
expect 20 "$MEMPLAN" explain apart.json
has out "It does not fit into pool 'near' of 10 bytes: it needs at least 1"
has out "These 2 buffers alone need"
cat >chain.json <<'CHAIN'
{"format": "memplan-graph", "version": 1, "pools": [{"id": "sram", "capacity": 7000}, {"id": "dram", "capacity": 4000}],
 "tensors": [{"id": "x", "bytes": 4000, "roles": ["input"], "pools": ["dram"]}, {"id": "h", "bytes": 4096, "pools": ["sram"]},
             {"id": "k", "bytes": 3000, "pools": ["sram"]}],
 "ops": [{"id": "a", "in": ["x"], "out": ["h"]}, {"id": "b", "in": ["h"], "out": ["k"]}]}
CHAIN
expect 20 "$MEMPLAN" explain chain.json
has out "It does not fit into pool 'sram' of 7,000 bytes: it needs at least 7,096, 96 bytes short."
has out "No order helps: at least 7,096 in each (for every order: what pool 'sram' has to hold)."
expect 20 "$MEMPLAN" explain --capacity 5000 --format json chain.json
has out '"pool":"sram","bytes":5000,"room":5000,"needs":7096,"short":2096,"scope":"problem","every_order":7096,'

# Conflicts instead of lifetimes: a clique instead of a time.
printf 'id,size\nx,6\ny,5\nz,4\nw,2\n' >bare.csv
printf 'first,second\nx,y\ny,z\nx,z\nz,w\n' >pairs.csv
expect 0 "$MEMPLAN" explain --conflicts pairs.csv bare.csv
has out "bare.csv: no lifetimes, only pairs that conflict. 3 buffers of which no two may share a byte have 15 bytes"
lacks out never
lines out 6
expect 0 "$MEMPLAN" info --conflicts pairs.csv bare.csv
has out "without lifetimes: pairs that conflict are all that keeps them apart"
lacks out "load"
lacks out "to before"
expect 20 "$MEMPLAN" explain --conflicts pairs.csv --capacity 12 bare.csv
has out "These 3 buffers alone need 15 bytes, a search proved it:"
lacks out "single time"
expect 0 "$MEMPLAN" explain --conflicts pairs.csv --pair x w bare.csv
has out "no rule keeps them apart, and they have no lifetimes"
expect 0 "$MEMPLAN" explain --conflicts pairs.csv --format csv bare.csv
lines out 4

# A pair of buffers.
expect 0 "$MEMPLAN" explain --pair A B abc.csv
same out explain_pair.txt
expect 0 "$MEMPLAN" explain abc.csv --pair A C
has out "'A' and 'C' may share bytes"
expect 0 "$MEMPLAN" explain abc.csv --pair=A C --format json
has out '"may_share":true'
expect 0 "$MEMPLAN" explain abc.csv --pair A B --format md
has out "| lifetime |"
expect 2 "$MEMPLAN" explain abc.csv --pair A B --capacity 8M
has err "--capacity and --pair are two questions"
expect 2 "$MEMPLAN" explain abc.csv --pair A
has err "--pair needs two arguments: --pair A B"
expect 2 "$MEMPLAN" explain abc.csv --pair A D
has err "there is no buffer 'D'"
expect 2 "$MEMPLAN" explain abc.csv --pair A A
has err "given twice"
expect 2 "$MEMPLAN" explain --pair A B
has err "explain needs FILE"
expect 2 "$MEMPLAN" explain --pair A abc.csv
has err "--pair has taken 'A' and 'abc.csv' as the ids of two buffers"

# With a plan: its offsets; only a valid one is explained.
expect 0 "$MEMPLAN" solve -q -o plan.json abc.csv
expect 0 "$MEMPLAN" explain --plan plan.json abc.csv
has out "abc.csv with plan.json: peak 10,485,760 bytes."
has out "0 of the arena free then"
expect 0 "$MEMPLAN" explain --plan plan.json --pair A C abc.csv
has out "they share"
sed 's/^A,0,3/A,0,5/' abc.csv >changed.csv
expect 1 "$MEMPLAN" explain --plan plan.json changed.csv
has err "plan.json is not valid for changed.csv"
expect 1 "$MEMPLAN" explain --plan plan.json --align 64 abc.csv
has err "leave out those given here that change the problem"
expect 2 "$MEMPLAN" explain --plan plan.json --order given abc.csv
has err "the plan has its own order"
expect 2 "$MEMPLAN" explain --plan missing.json abc.csv

# A model: for one order, with what holds for every one.
cp "$examples/nasnet_cells.json" model.json
model=model.json
expect 0 "$MEMPLAN" explain "$model"
has out "order 'given': the fullest step is 14, operator 'op:c1.b5r' (MaxPool)"
# Another order fits there: nothing is proven of the problem.
expect 30 "$MEMPLAN" explain --capacity 10M "$model"
has out "This holds for order 'given'"
has out "memplan solve --capacity looks for one"
expect 0 "$MEMPLAN" solve -q --capacity 10M "$model"
expect 20 "$MEMPLAN" explain --capacity 1M "$model"
has out "No order helps: at least 7,451,136 in each (for every order: what has to be in memory while operator"
expect 20 "$MEMPLAN" explain --capacity 6M "$model"
has out "it needs at least 13,497,344 with order 'given', 7,205,888 bytes short."
has out "No order helps: at least 7,451,136 in each (for every order: what has to be in memory while operator 'op:c3' runs)."
expect 20 "$MEMPLAN" explain --capacity 6M --format json "$model"
has out '"needs":13497344,"short":7205888,"scope":"problem","every_order":7451136'
expect 0 "$MEMPLAN" explain --order greedy-peak "$model"
has out "order 'greedy-peak': the fullest step"
expect 0 "$MEMPLAN" explain --pair c1.b2l c2.p.even "$model"
same out explain_model_pair.txt
expect 2 "$MEMPLAN" explain --order nothing "$model"
"$MEMPLAN" solve -q -o model.plan.json "$model" || [ $? -eq 10 ] || fail "no plan for $model"
expect 0 "$MEMPLAN" explain --plan model.plan.json "$model"
has out "with model.plan.json: peak"
has out "The fullest step that reaches"
expect 0 "$MEMPLAN" explain --dim N=4 "$examples/control_flow.onnx"
has out "'/If#workspace' of operator '/If'"
# An in-place pair that this order blocks is told, with what blocks it.
cat >blocked.json <<'BLOCKED'
{"format": "memplan-graph", "version": 1,
 "tensors": [{"id": "x", "bytes": 4, "roles": ["input"]}, {"id": "p", "bytes": 8}, {"id": "q", "bytes": 8},
             {"id": "r", "bytes": 8, "roles": ["output"]}],
 "ops": [{"id": "make", "in": ["x"], "out": ["p"]}, {"id": "relu", "in": ["p"], "out": ["q"], "inplace": [["q", "p"]]},
         {"id": "late", "in": ["p", "q"], "out": ["r"]}]}
BLOCKED
expect 0 "$MEMPLAN" explain --pair p q blocked.json
has out "'p' and 'q' may not share bytes"
sed 's/"in": \["p", "q"\]/"in": ["q"]/; s/"id": "late"/"id": "last"/; s/"ops": \[/"ops": [/' blocked.json |
  sed 's/ *{"id": "last".*/         {"id": "peek", "in": ["p"], "out": []}, {"id": "last", "in": ["q"], "out": ["r"]}]}/' >open.json
expect 0 "$MEMPLAN" explain --pair p q open.json
has out "operator 'relu' could write the one over the other, were it not for operator 'peek' in this order"
expect 0 "$MEMPLAN" explain --pair p q open.json --format json
has out '"inplace_blocked":"relu","inplace_blocking":"peek"'
expect 2 "$MEMPLAN" explain missing.csv
finish
