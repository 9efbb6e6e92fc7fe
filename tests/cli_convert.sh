#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memplan convert`, `info` and `bound`: round trips keep the fingerprint, formats are named, the other way is refused.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

fingerprint() {
  "$MEMPLAN" info --format json "$@" | sed 's/.*"fingerprint":"\([^"]*\)".*/\1/'
}

printf 'id,lower,upper,size,alignment,gaps\na,0,10,4,8,2-5\nb,2,5,4,1,\n"c,1",3,7,6,16,\n' >one.csv
expect 0 "$MEMPLAN" convert one.csv --to csv -o two.csv
[ "$(fingerprint one.csv)" = "$(fingerprint two.csv)" ] || fail "CSV -> CSV changes the fingerprint"
expect 0 "$MEMPLAN" convert one.csv -o three.json
[ "$(fingerprint one.csv)" = "$(fingerprint three.json)" ] || fail "CSV -> JSON changes the fingerprint"
expect 0 "$MEMPLAN" convert three.json --to csv -o four.csv
[ "$(fingerprint one.csv)" = "$(fingerprint four.csv)" ] || fail "JSON -> CSV changes the fingerprint"
expect 0 "$MEMPLAN" convert one.csv --to instance-json
cmp -s out three.json || fail "standard output and -o differ"
expect 3 "$MEMPLAN" convert one.csv --to omnimalloc
empty out
expect 3 "$MEMPLAN" convert one.csv --to graph-json
expect 2 "$MEMPLAN" convert one.csv
has err "--to FORMAT"
expect 2 "$MEMPLAN" convert one.csv -o x.unknown
[ ! -e x.unknown ] || fail "a file of no format was written"

cp "$examples/mobilenet_like.onnx" m.onnx
expect 0 "$MEMPLAN" convert m.onnx --to graph-json -o m.json
expect 0 "$MEMPLAN" solve --format json m.onnx
peak=$(sed 's/.*"peak":\([0-9]*\).*/\1/' out)
expect 0 "$MEMPLAN" solve --format json m.json
[ "$peak" = "$(sed 's/.*"peak":\([0-9]*\).*/\1/' out)" ] || fail "the converted graph has another peak"
expect 0 "$MEMPLAN" convert m.onnx --to plan-json -o plan.json
expect 0 "$MEMPLAN" verify m.onnx plan.json
expect 0 "$MEMPLAN" convert m.onnx --to csv -o m.csv
expect 0 "$MEMPLAN" convert m.onnx --to csv --order dfs -o placed.csv
head -1 placed.csv >head
has head "offset"
expect 0 "$MEMPLAN" verify placed.csv
expect 20 "$MEMPLAN" convert m.onnx --to plan-json --capacity 1 -o none.json
[ ! -e none.json ] || fail "a plan was written where there is none"
expect 0 "$MEMPLAN" convert "$examples/control_flow.onnx" --dim N=4 --to csv -o flow.csv
has flow.csv "/If#workspace,5,6,245760"

# A name that ends in .plan.json is that of a plan.
expect 0 "$MEMPLAN" convert m.onnx -o named.plan.json
expect 0 "$MEMPLAN" verify m.onnx named.plan.json
expect 0 "$MEMPLAN" convert m.onnx --to graph-json -o odd.plan.json
has err "odd.plan.json is the name of a plan, but graph-json is written"

# info tells what is known where dimensions are not.
expect 2 "$MEMPLAN" info "$examples/transformer_kv.onnx"
has out "operators "
has out "of them with a known size"
has out "give --dim 'batch=N'"
has out "'input_ids'"
has out "more"
has err "memplan: error: "
expect 2 "$MEMPLAN" info --format json "$examples/transformer_kv.onnx"
has out '"unknown_dims":["batch","past"'
has out '"n_unknown_tensors":'
has out '"error":"'
expect 2 "$MEMPLAN" info -o partial.txt "$examples/transformer_kv.onnx"
empty out
has partial.txt "unknown dims"
lacks partial.txt "past + 1"
expect 2 "$MEMPLAN" info --format csv "$examples/transformer_kv.onnx"
empty out
# The head of a file tells that no reader takes it, however large it is.
if truncate -s 64G huge.bin 2>/dev/null; then
  expect 3 timeout 10 "$MEMPLAN" info huge.bin
  has err "unknown format"
  rm huge.bin
fi
# A refusal is all that is said about a file that is not written.
printf 'id,size\na,4\nb,5\n' >bare.csv
printf 'a,b\n' >pairs.csv
expect 3 "$MEMPLAN" convert --conflicts pairs.csv bare.csv --to idealloc
lines err 1
printf 'a,b\na,b\n' >one_pair.csv
expect 3 "$MEMPLAN" convert --conflicts one_pair.csv bare.csv --to csv
has err "write instance-json instead, or sizes and pairs: --to csv --conflicts-out FILE"
expect 0 "$MEMPLAN" convert --conflicts one_pair.csv bare.csv --to csv --conflicts-out out_pairs.csv
expect 0 "$MEMPLAN" info --dim batch=1 --dim past=128 "$examples/transformer_kv.onnx"
empty err
printf 'id,lower\n' >broken.csv
expect 2 "$MEMPLAN" info broken.csv
empty out

# info and bound
expect 0 "$MEMPLAN" info m.onnx
for text in "operators " "tensors " "weight " "in-place pairs " "naive size " "given order " "The largest"; do
  has out "$text"
done
expect 0 "$MEMPLAN" info --format json m.onnx
has out '"op_types":{'
expect 0 "$MEMPLAN" info --format csv one.csv
same out info_one.csv
expect 0 "$MEMPLAN" info one.csv
same out info_one.txt
expect 0 "$MEMPLAN" bound one.csv
same out bound_one.txt
expect 0 "$MEMPLAN" bound --format json m.onnx
has out '"lower_bound":'
has out '"kind":"operator","problem":"joint"'
expect 0 "$MEMPLAN" bound --format csv -o bound.csv m.onnx
empty out
has bound.csv "kind,bytes,problem,step,op,witness"
expect 0 "$MEMPLAN" bound --order optimal m.onnx
expect 2 "$MEMPLAN" bound --order lpmf m.onnx
has err "order method 'lpmf' proves no bound"
expect 2 "$MEMPLAN" info nowhere.onnx

# conflicts instead of lifetimes, and back
printf 'id,lower,upper,size,alignment\na,0,2,4,2\nb,2,4,6,1\nc,3,5,7,1\nd,0,9,0,1\n' >lives.csv
expect 0 "$MEMPLAN" convert lives.csv --conflicts-out pairs.csv -o sizes.csv
printf 'id,size,alignment\na,4,2\nb,6,1\nc,7,1\nd,0,1\n' | cmp - sizes.csv || fail "other sizes"
printf 'first,second\nb,c\n' | cmp - pairs.csv || fail "other pairs"
expect 0 "$MEMPLAN" solve --conflicts pairs.csv --format json sizes.csv
has out '"peak":13'
expect 2 "$MEMPLAN" convert lives.csv --conflicts-out - --to csv
has err "both go to standard output"
expect 3 "$MEMPLAN" convert lives.csv --conflicts-out pairs.csv --to glow
has err "beside the format csv, not glow"

# list
for topic in methods formats generators options commands exit-codes json-keys; do
  for format in text json csv md; do
    expect 0 "$MEMPLAN" list $topic --format $format
    [ -s out ] || fail "list $topic --format $format prints nothing"
  done
done
expect 0 "$MEMPLAN" list exit-codes
same out list_exit_codes.txt

# The keys that a command prints are those that the list has of it, and no others.
top_keys() {
  awk '{
    depth = 0; text = 0; word = ""; last = ""
    n = length($0)
    for (i = 1; i <= n; i++) {
      c = substr($0, i, 1)
      if (text && c == "\\") { i++; continue }
      if (c == "\"") { if (text) last = word; text = !text; word = ""; continue }
      if (text) { word = word c; continue }
      if (c == "{" || c == "[") depth++
      if (c == "}" || c == "]") depth--
      if (c == ":" && depth == 1) print last
    }
  }' "$1"
}
: >printed
prints() {
  code=$1
  shift
  expect "$code" "$MEMPLAN" "$@" --format json
  lines out 1
  top_keys out | sed "s/^/$1 /" >>printed
}
write_abc abc.csv
"$MEMPLAN" solve -q -o abc.plan.json --certificate abc.cert abc.csv
prints 0 info abc.csv
prints 0 info --dim N=2 "$examples/control_flow.onnx"
prints 2 info "$examples/control_flow.onnx"
expect 10 "$MEMPLAN" solve -q --order given --place naive -o step.plan.json "$examples/training_step.json"
prints 0 info --order step.plan.json "$examples/training_step.json"
prints 0 bound --certificate bound.cert abc.csv
prints 0 bound "$examples/training_step.json"
prints 0 verify abc.csv abc.plan.json
prints 0 check abc.csv abc.cert
prints 1 check abc.csv abc.csv
prints 20 explain --capacity 8M abc.csv
prints 0 explain --pair A C abc.csv
prints 0 explain --plan abc.plan.json abc.csv
expect 0 "$MEMPLAN" list json-keys --format json
tr '{' '\n' <out | grep -v '"object in capacity' |
  sed -n 's/^"[^"]*":"\([^"]*\)","[^"]*":"\([^"]*\)".*/, \2, \1/p' >listed_keys
for command in info bound verify check explain; do
  sed -n "s/^$command //p" printed | sort -u >printed_keys
  grep ", $command," listed_keys | sed 's/.*, //' | sort >known_keys
  [ -s known_keys ] || fail "no keys of $command are listed"
  diff known_keys printed_keys >difference || fail "$command: listed (<) and printed (>): $(cat difference)"
done

# info tells of pools, rules and pins.
cat >pools.json <<'EOF'
{"format": "memplan-graph", "version": 1, "name": "pools", "pools": [{"id": "sram", "capacity": 7000}, {"id": "dram"}],
 "tensors": [{"id": "x", "bytes": 4}], "ops": [{"id": "a", "in": [], "out": ["x"]}]}
EOF
expect 0 "$MEMPLAN" info pools.json
has out "7,000 bytes (6.84 KiB), sram"
has out "without capacity, dram"
expect 0 "$MEMPLAN" info --format json pools.json
has out '"pools":[{"id":"sram","capacity":7000},{"id":"dram","capacity":null}]'
printf 'id,lower,upper,size,offset\nA,0,2,4,8\n' >pinned.csv
expect 0 "$MEMPLAN" info --pin --format json pinned.csv
has out '"rules":{"separate":0,"colocated":0,"conflicts":0},"pools":[]'
has out '"pin":8'
finish
