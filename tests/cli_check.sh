#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memplan check`: certificates that prove their claim, and those that do not.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

printf 'id,lower,upper,size\na,0,2,3\nb,0,2,2\nc,1,3,4\n' >three.csv
expect 0 "$MEMPLAN" solve --format json three.csv
print=$(sed 's/.*"fingerprint":"\([^"]*\)".*/\1/' out)
head='{"format":"memplan-certificate","version":1,"fingerprint":"'$print'"'
printf '%s\n' "$head"',"kind":"load","claim":9,"time":1}' >load.jsonl
expect 0 "$MEMPLAN" check three.csv load.jsonl
has out "load.jsonl: proven for three.csv: no placement has a peak below 9 bytes (load, 0 steps)"
expect 0 "$MEMPLAN" check --format json three.csv load.jsonl
has out '"proven":true,"kind":"load","scope":"placement","pool":null,"pools":null,"claim":9,'
expect 0 "$MEMPLAN" check -q three.csv load.jsonl
empty out
printf '%s\n' "$head"',"kind":"load","claim":10,"time":1}' >more.jsonl
expect 1 "$MEMPLAN" check three.csv more.jsonl
has out "more.jsonl: proves nothing for three.csv: line 1: less than the claim is live at that time"
expect 1 "$MEMPLAN" check --format json three.csv more.jsonl
has out '"proven":false'

start="$head"',"kind":"clauses","claim":9,"unit":1,"buffers":["a","b","c"]}'
printf '%s\n%s\n' "$start" '{"c":[],"h":[[0,0,8,0,1,2]]}' >clauses.jsonl
expect 0 "$MEMPLAN" check three.csv clauses.jsonl
has out "no placement has a peak below 9 bytes (clauses, 1 step)"
printf '%s\n%s\n' "$start" '{"c":[],"h":[[0,0,8,0,1]]}' >dropped.jsonl
expect 1 "$MEMPLAN" check three.csv dropped.jsonl
has out "line 2: an overload lemma is wrong"
# Other options make another problem.
expect 1 "$MEMPLAN" check --align 4 three.csv clauses.jsonl
has out "the fingerprints differ"
has err "the certificate does not state its options"
# What is no certificate proves nothing; what is no file or no problem is an error of the input.
expect 1 "$MEMPLAN" check three.csv three.csv
has out "line 1: the line is no JSON object: this is no certificate, as \`memplan solve --certificate\` writes it"
expect 2 "$MEMPLAN" check three.csv missing.jsonl
expect 2 "$MEMPLAN" check missing.csv clauses.jsonl
expect 2 "$MEMPLAN" check three.csv

# What solve writes is accepted: of a load, and of an optimum above it.
expect 0 "$MEMPLAN" solve -q --certificate load.cert three.csv
expect 0 "$MEMPLAN" check three.csv load.cert
has out "(load, 0 steps)"
# A plan, and files in each other's place.
expect 0 "$MEMPLAN" solve -q -o three.json three.csv
expect 2 "$MEMPLAN" check three.csv three.json
has err "three.json is a plan, not a certificate: memplan verify three.csv three.json checks plans"
expect 2 "$MEMPLAN" check load.cert three.csv
has err "load.cert is the certificate: the problem comes first, memplan check three.csv load.cert"
expect 2 "$MEMPLAN" check load.cert load.cert
has err "load.cert: this is a certificate; give the file of the problem"
expect 2 "$MEMPLAN" verify three.csv load.cert
has err "load.cert is a certificate, not a plan: memplan check three.csv load.cert replays it"
expect 2 "$MEMPLAN" solve load.cert
has err "this is a certificate"
expect 2 "$MEMPLAN" solve three.json
has err "three.json: this is a plan"
printf 'id,lower,upper,size,alignment\na,0,2,5,8\nb,0,2,5,8\n' >two.csv
expect 0 "$MEMPLAN" solve -q --certificate two.cert two.csv
expect 0 "$MEMPLAN" check two.csv two.cert
has out "no placement has a peak below 13 bytes"
# Options are taken from the certificate; those given here go first, and what differs is named.
expect 0 "$MEMPLAN" solve -q --align 8 --certificate aligned.cert three.csv
expect 0 "$MEMPLAN" check three.csv aligned.cert
has out "aligned.cert: proven for three.csv with --align 8: no placement has a peak below"
expect 0 "$MEMPLAN" check --format json three.csv aligned.cert
has out '"options":{"align":8},"certificate":"aligned.cert"'
expect 0 "$MEMPLAN" check --format json three.csv load.cert
has out '"options":{},"certificate":"load.cert"'
expect 1 "$MEMPLAN" check --align 4 three.csv aligned.cert
has out "proves nothing for three.csv with --align 4: line 1: "
has err "the certificate was made with align 8 (here 4)"
expect 0 "$MEMPLAN" solve -q --lifetimes inclusive --capacity 64 --certificate inclusive.cert three.csv
expect 0 "$MEMPLAN" check three.csv inclusive.cert
has out "proven for three.csv with --lifetimes inclusive --capacity 64: no placement"
sed 's/^c,1,3,4/c,1,3,5/' three.csv >changed.csv
expect 1 "$MEMPLAN" check changed.csv aligned.cert
has err "the file has changed"
printf 'id,lower,upper,size,offset\na,0,2,3,4\na,0,2,2,\n' >pinned.csv
expect 0 "$MEMPLAN" solve -q --pin --dup-ids rename --certificate pinned.cert pinned.csv
has pinned.cert '"pin":true,"dup_ids":"rename"'
expect 0 "$MEMPLAN" check pinned.csv pinned.cert
has out "proven for pinned.csv with --pin --dup-ids rename: no placement has a peak below 7 bytes"
printf 'id,size\na,4\nb,5\nc,6\n' >bare.csv
printf 'a,b\na,c\n' >pairs.csv
expect 0 "$MEMPLAN" solve -q --conflicts pairs.csv --certificate bare.cert bare.csv
expect 0 "$MEMPLAN" check --conflicts pairs.csv bare.csv bare.cert
has out "proven for bare.csv with --conflicts pairs.csv: "
printf 'id,lower,upper,size\na,0,2,3\n' >lone.csv
expect 0 "$MEMPLAN" solve -q --certificate lone.cert lone.csv
sed 's/"align":1/"align":1,"conflicts":true/' lone.cert >other.cert
sed 's/3$/4/' lone.csv >more.csv
expect 1 "$MEMPLAN" check more.csv other.cert
has err 'conflicts true (here none): read the file as it was then, with the same file for --conflicts'

# Numbers as large as problems may have.
cat >far.json <<'FAR'
{"format": "memplan-instance", "version": 1,
 "buffers": [{"id": "a", "bytes": 4, "live": [[0, 2]], "pin": 2305843009213693951}, {"id": "b", "bytes": 4, "live": [[1, 3]]}]}
FAR
expect 0 "$MEMPLAN" solve -q --certificate far.cert far.json
expect 0 "$MEMPLAN" check far.json far.cert
has out "no placement has a peak below 2,305,843,009,213,693,955 bytes"
sed 's/"claim":2305843009213693955/"claim":2305843009213693956/' far.cert >further.cert
expect 1 "$MEMPLAN" check far.json further.cert
sed 's/"claim":2305843009213693955/"claim":4611686018427387905/' far.cert >further.cert
expect 1 "$MEMPLAN" check far.json further.cert
has out "the claim is no number of bytes from 0 to 2^62"
printf 'id,lower,upper,size\na,4611686018427387904,4611686018427387906,3\n' >late.csv
expect 0 "$MEMPLAN" solve -q --certificate late.cert late.csv
expect 0 "$MEMPLAN" check late.csv late.cert

# Of a model: what the order of its plan allows, if that is all there is, with what is proven of its bodies.
expect 0 "$MEMPLAN" solve --order given --certificate order.cert "$examples/nasnet_cells.json"
has out "certificate     load, "
has out "no placement on this order with its in-place pairs is below 13,497,344 bytes"
expect 0 "$MEMPLAN" check "$examples/nasnet_cells.json" order.cert
has out "no placement on the order and with the in-place pairs that it states has a peak below 13,497,344 bytes"
sed 's/"claim":13497344/"claim":13497345/' order.cert >more.cert
expect 1 "$MEMPLAN" check "$examples/nasnet_cells.json" more.cert
expect 0 "$MEMPLAN" solve --dim N=4 --certificate bodies.cert "$examples/control_flow.onnx"
has out "certificate     cut, "
has out "no plan is below 344,065 bytes"
expect 0 "$MEMPLAN" check "$examples/control_flow.onnx" bodies.cert
has out "no plan has a peak below 344,065 bytes (cut, 1 step)"
sed 's/"claim":245760/"claim":245761/; s/"claim":344065/"claim":344066/' bodies.cert >larger.cert
expect 1 "$MEMPLAN" check "$examples/control_flow.onnx" larger.cert
has out "body 'then_branch' of operator '/If': "
expect 0 "$MEMPLAN" solve -q --dim N=4 --bodies ignore --no-branch-sharing --certificate bodies.cert "$examples/control_flow.onnx"
expect 0 "$MEMPLAN" check "$examples/control_flow.onnx" bodies.cert
has out "control_flow.onnx with --bodies ignore --no-branch-sharing --dim N=4: no "

# Of several pools, what one of them has to hold.
cat >pools.json <<'POOLS'
{"format": "memplan-instance", "version": 1, "pools": [{"id": "near"}, {"id": "far"}],
 "buffers": [{"id": "a", "bytes": 6, "live": [[0, 2]], "pools": ["far"]}, {"id": "b", "bytes": 5, "live": [[0, 3]]}]}
POOLS
expect 0 "$MEMPLAN" solve -q --certificate pools.cert pools.json
expect 0 "$MEMPLAN" check pools.json pools.cert
has out "no placement has a peak of pool 'far' below 6 bytes (load, 0 steps)"
expect 0 "$MEMPLAN" solve -q --pin-space b=near --certificate pools.cert pools.json
expect 0 "$MEMPLAN" check pools.json pools.cert
has out "proven for pools.json with --pin-space b=near: no placement"

# Of all of them, where each peak is that of what lies nowhere else.
sed 's/"live": \[\[0, 3\]\]}/"live": [[0, 3]], "pools": ["near"]}/' pools.json >forced.json
expect 0 "$MEMPLAN" solve --certificate all.cert forced.json
has out "certificate     pools, "
has out "no placement has a smaller peak in any pool"
expect 0 "$MEMPLAN" check forced.json all.cert
has out "no placement has a peak of pool 'near' below 5 bytes, or of pool 'far' below 6 bytes (pools, 0 steps)"
expect 0 "$MEMPLAN" check --format json forced.json all.cert
has out '"pool":null,"pools":{"near":5,"far":6},"claim":6,'
sed '1s/"claim":6/"claim":7/' all.cert >more.cert
expect 1 "$MEMPLAN" check forced.json more.cert
has out "ends before its claim is proven"
sed '3s/"claim":6/"claim":7/' all.cert >more.cert
expect 1 "$MEMPLAN" check forced.json more.cert
has out "line 3: line 1 of the certificate in it: less than the claim is live at that time"
sed 's/"pools": \["far"\]/"pools": ["near", "far"]/; s/"live": \[\[0, 3\]\]}/"live": [[0, 3]], "pools": ["near", "far"]}/' \
  pools.json >free.json
expect 0 "$MEMPLAN" solve --certificate free.cert free.json
has out "certificate     none: every buffer may lie in more than one pool"
has err "free.cert: will not be written: every buffer may lie in more than one pool"
lines err 1

# Of a graph that a pool does not hold in any order, and of bounds, without a plan.
cat >chain.json <<'CHAIN'
{"format": "memplan-graph", "version": 1, "pools": [{"id": "sram", "capacity": 7000}, {"id": "dram"}],
 "tensors": [{"id": "x", "bytes": 4096, "roles": ["input"], "pools": ["dram"]}, {"id": "h", "bytes": 4096, "pools": ["sram"]},
             {"id": "k", "bytes": 3000, "pools": ["sram"]}],
 "ops": [{"id": "a", "in": ["x"], "out": ["h"]}, {"id": "b", "in": ["h"], "out": ["k"]}]}
CHAIN
expect 20 "$MEMPLAN" solve -q --certificate chain.cert chain.json
expect 0 "$MEMPLAN" check chain.json chain.cert
has out "no plan has a peak of pool 'sram' below 7,096 bytes (cut, "
expect 0 "$MEMPLAN" bound --certificate chain.cert chain.json
has out "certificate: pools, "
has out "no plan has a peak below 7,096 bytes"
expect 0 "$MEMPLAN" check chain.json chain.cert
has out "no plan has a peak of pool 'sram' below 7,096 bytes, or of pool 'dram' below 4,096 bytes (pools, "

# What the certificates of the pools prove of every plan is not above the lower bound that is told.
expect 0 "$MEMPLAN" gen gap --n 14 --seed 2 -o gap.json
sed -E 's/("id":"t[0-9]*[0-7]","bytes":[0-9]*)/\1,"pools":["a"]/g; s/("id":"t[0-9]*[89]","bytes":[0-9]*)/\1,"pools":["b"]/g
  s/"tensors":/"pools":[{"id":"a"},{"id":"b"}],"tensors":/' gap.json >apart.json
expect 0 "$MEMPLAN" solve --format json --certificate apart.cert -o apart.plan.json apart.json
has out '"peak":99,"lower_bound":99,"gap":0.000000'
has out '"kind":"pools","problem":"joint","bytes":99'
expect 0 "$MEMPLAN" verify apart.json apart.plan.json
expect 0 "$MEMPLAN" check apart.json apart.cert

# Of conflicts, a clique.
expect 0 "$MEMPLAN" solve -q --conflicts pairs.csv --certificate bare.cert bare.csv
expect 0 "$MEMPLAN" check --conflicts pairs.csv bare.csv bare.cert
has out "no placement has a peak below 10 bytes (clique, 0 steps)"

# Too large: the result stays what it is.
expect 0 "$MEMPLAN" solve --format json --certificate large.cert --certificate-limit 64 three.csv
has out '"status":"optimal"'
has out '"certificate":{"kind":"none","reason":"the proof is larger than the limit for certificates '
has err "large.cert: not written: the proof is larger than the limit"
[ ! -e large.cert ] || fail "a certificate beyond its limit"

# On standard output the certificate stands alone.
expect 0 "$MEMPLAN" solve --certificate - three.csv
lines out 1
has out '"format":"memplan-certificate"'
expect 2 "$MEMPLAN" solve --certificate - -o - three.csv
has err "standard output takes one of them"
expect 2 "$MEMPLAN" solve -q --certificate two.csv two.csv
expect 2 "$MEMPLAN" solve -q --certificate two.cert two.csv three.csv

# Of a model: a flow that holds for every order.
model="$MEMPLAN_SOURCE_DIR/instances/examples/transformer_kv.onnx"
expect 0 "$MEMPLAN" solve -q --dim batch=1 --dim past=128 --certificate model.cert "$model"
expect 0 "$MEMPLAN" check "$model" model.cert
has out "no plan has a peak below 1,329,184 bytes (cut, "
sed '1s/"claim":1329184/"claim":1329185/' model.cert >more.cert
expect 1 "$MEMPLAN" check "$model" more.cert
has out "less than the claim is in memory while the operator runs"
sed '/"cell"/{s/"bytes":/"bytes":9/;}' model.cert >wide.cert
expect 1 "$MEMPLAN" check "$model" wide.cert
has out "a flow is larger than what it runs through"
expect 1 "$MEMPLAN" check --dim past=64 "$model" model.cert
has out "the fingerprints differ"

# That no order fits is shown without a plan that does.
expect 20 "$MEMPLAN" solve -q --dim batch=1 --dim past=128 --capacity 1M --certificate none.cert "$model"
expect 0 "$MEMPLAN" check "$model" none.cert
has out "no plan has a peak below 1,329,184 bytes (cut, "

# Of a model whose order bound needs a search: the log of a closed one.
model="$MEMPLAN_SOURCE_DIR/instances/examples/nasnet_cells.json"
expect 0 "$MEMPLAN" solve -q --certificate search.cert "$model"
expect 0 "$MEMPLAN" check "$model" search.cert
has out "no plan has a peak below 8,417,024 bytes (order-search, "
sed '1s/"claim":8417024/"claim":8417025/' search.cert >more.cert
expect 1 "$MEMPLAN" check "$model" more.cert
has out "ends before its claim is proven"
sed '9d' search.cert >less.cert
expect 1 "$MEMPLAN" check "$model" less.cert
expect 0 "$MEMPLAN" solve --format json --certificate large.cert --certificate-limit 1000 "$model"
has out '"status":"optimal"'
has out '"certificate":{"kind":"none","reason":"the proof is larger than the limit for certificates '
[ ! -e large.cert ] || fail "a certificate beyond its limit"
# A proof of the own order would fit, but not say that the plan is optimal.
expect 0 "$MEMPLAN" solve --certificate own.cert --certificate-limit 10000 "$model"
has out "certificate     none: the proof is larger than the limit for certificates (--certificate-limit)"
[ ! -e own.cert ] || fail "a certificate that says less than the plan"
# Of an order that is part of the problem it says all.
expect 0 "$MEMPLAN" solve --format json --order given --certificate own.cert "$model"
has out '"certificate":{"kind":"load","problem":"order","bytes":'
expect 0 "$MEMPLAN" check --format json "$model" own.cert
has out '"kind":"load","scope":"order"'
expect 0 "$MEMPLAN" solve --format json --certificate all.cert --certificate-limit 1G "$model"
has out '"certificate":{"kind":"order-search","problem":"joint","bytes":8417024}'

# Bounds are proven without a plan: of every order, also where the gap is open.
expect 0 "$MEMPLAN" bound --certificate bound.cert --format json "$model"
kind=$(sed -n 's/.*"certificate":{"kind":"\([a-z-]*\)","problem":"joint","bytes":\([0-9]*\).*/\1 \2/p' out)
[ -n "$kind" ] || fail "bound --certificate names nothing of every order"
expect 0 "$MEMPLAN" check --format json "$model" bound.cert
has out "\"kind\":\"${kind% *}\",\"scope\":\"joint\""
has out "\"claim\":${kind#* },"
expect 0 "$MEMPLAN" bound --order optimal --certificate bound.cert "$model"
has out "bytes: nothing is below 8,417,024 bytes"
expect 0 "$MEMPLAN" check "$model" bound.cert
has out "no plan has a peak below 8,417,024 bytes"
expect 0 "$MEMPLAN" bound --certificate bound.cert three.csv
expect 0 "$MEMPLAN" check three.csv bound.cert
rm -f bound.cert
expect 0 "$MEMPLAN" bound --order given --certificate bound.cert "$model"
has out "of no larger bound: a bound of one order is proven with a plan on it"
expect 0 "$MEMPLAN" check "$model" bound.cert
has out "no plan has a peak below "
rm -f bound.cert
expect 0 "$MEMPLAN" bound --certificate bound.cert --certificate-limit 10 "$model"
has out "certificate: none: the proof is larger than the limit"
[ ! -e bound.cert ] || fail "a certificate beyond its limit"
expect 2 "$MEMPLAN" bound --certificate - "$model"
has err "would both go to standard output"
finish
