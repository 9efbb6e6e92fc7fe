#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memplan bench` and `table`: all pairs of methods, resumed without repetition, summed up.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

write_abc abc.csv
cp "$examples/training_step.json" .
# Integer programs are run on request only.
orders=$("$MEMPLAN" list methods --format csv | grep -v '^ilp-' | grep -c ',order,')
places=$("$MEMPLAN" list methods --format csv | grep -v '^ilp-' | grep -c ',placement,')
runs=$((orders * places + places))

expect 0 "$MEMPLAN" bench -o all.jsonl abc.csv training_step.json
empty out
lines all.jsonl $runs
has err "$runs runs made, 0 were there"
[ "$(grep -c '"instance":"[^"]*","order":.*,"place":.*,"options":{.*},"limits":{.*},"error":' all.jsonl)" -eq $runs ] ||
  fail "not every line has instance, order, place, options, limits, error"

# Again: nothing to do. A torn last line is dropped and made again; other options are other runs.
cp all.jsonl before.jsonl
expect 0 "$MEMPLAN" bench -o all.jsonl abc.csv training_step.json
has err "0 runs made, $runs were there"
cmp -s all.jsonl before.jsonl || fail "a finished bench was changed"
head -c $(($(wc -c <all.jsonl) - 20)) before.jsonl >all.jsonl
expect 0 "$MEMPLAN" bench -o all.jsonl abc.csv training_step.json
has err "1 runs made, $((runs - 1)) were there"
lines all.jsonl $runs
expect 0 "$MEMPLAN" bench -o all.jsonl --align 64 --place naive abc.csv
has err "1 runs made"
expect 0 "$MEMPLAN" bench -o all.jsonl --time-limit 10s --place naive abc.csv
has err "1 runs made"
lines all.jsonl $((runs + 2))

# Without a technique: another run, whose record says so; names that are none are refused.
expect 0 "$MEMPLAN" bench -o parts.jsonl --place optimal abc.csv
expect 0 "$MEMPLAN" bench -o parts.jsonl --place optimal --without nogoods --without pigeonhole abc.csv
has err "1 runs made"
has parts.jsonl '"without":'
has parts.jsonl nogoods
expect 0 "$MEMPLAN" bench -o parts.jsonl --place optimal --without nogoods --without pigeonhole abc.csv
has err "0 runs made, 1 were there"
expect 0 "$MEMPLAN" bench -o parts.jsonl --place optimal --without twins abc.csv
has err "1 runs made"
lines parts.jsonl 3
[ "$(grep -c '"status":"optimal","peak":10485760' parts.jsonl)" -eq 3 ] || fail "a technique changes the optimum"
expect 2 "$MEMPLAN" bench -o parts.jsonl --place optimal --without magic abc.csv
has err magic
lines parts.jsonl 3

expect 0 "$MEMPLAN" table parts.jsonl --rows methods
lines out 4
has out "without=nogoods,pigeonhole"
has out "without=twins"
expect 0 "$MEMPLAN" table parts.jsonl --rows instances
lines out 2
lacks out variant

# An order file that has changed is another order.
given=$("$MEMPLAN" solve --order given --place naive -o - -q training_step.json |
  sed -n 's/^ *"order": *\[\(.*\)\],*$/\1/p' | sed 's/", *"/\n/g; s/^"//; s/"$//')
"$MEMPLAN" solve --order dfs --place naive -o - -q training_step.json |
  sed -n 's/^ *"order": *\[\(.*\)\],*$/\1/p' | sed 's/", *"/\n/g; s/^"//; s/"$//' >order.txt
expect 0 "$MEMPLAN" bench -o orders.jsonl --order order.txt --place skyline training_step.json
expect 0 "$MEMPLAN" bench -o orders.jsonl --order order.txt --place skyline training_step.json
has err "0 runs made, 1 were there"
echo "$given" >order.txt
expect 0 "$MEMPLAN" bench -o orders.jsonl --order order.txt --place skyline training_step.json
has err "1 runs made, 0 were there"
has orders.jsonl '"order_digest":"sha256:'
expect 0 "$MEMPLAN" table orders.jsonl --rows methods
lines out 3
has out "order_digest=sha256:"

# A file with other contents, or under other options, is another instance; no gap is negative.
cp abc.csv changing.csv
expect 0 "$MEMPLAN" bench -o contents.jsonl --place skyline changing.csv
sed 's/^C,.*/C,3,4,1/; s/^B,.*/B,3,4,1/' abc.csv >changing.csv
expect 0 "$MEMPLAN" bench -o contents.jsonl --place skyline changing.csv
expect 0 "$MEMPLAN" bench -o contents.jsonl --place skyline --align 64 changing.csv
has err "1 runs made"
lines contents.jsonl 3
expect 0 "$MEMPLAN" table contents.jsonl --rows instances --format csv
lines out 4
lacks out ",-0."
has out "align=64 fingerprint="
expect 0 "$MEMPLAN" table contents.jsonl --rows methods --format csv
lines out 3
has out ",align=64"

# Runs on files of different names, dimensions and lifetimes are summed up in one row; those on one file under two
# values of a dimension are told apart.
printf 'buffer,start,end,size\nA,0,3,4\nB,2,5,4\n' >inclusive.csv
set -- --order given --place skyline
expect 0 "$MEMPLAN" bench -o named.jsonl "$@" --dim batch=1 --dim past=128 "$examples/transformer_kv.onnx"
expect 0 "$MEMPLAN" bench -o named.jsonl "$@" --dim N=4 "$examples/control_flow.onnx"
expect 0 "$MEMPLAN" bench -o named.jsonl "$@" "$examples/training_step.json" abc.csv inclusive.csv
has named.jsonl '"lifetimes":"inclusive"'
expect 0 "$MEMPLAN" table named.jsonl --rows methods
lines out 3
lacks out variant
expect 0 "$MEMPLAN" bench -o named.jsonl "$@" --dim N=8 "$examples/control_flow.onnx"
expect 0 "$MEMPLAN" table named.jsonl --rows methods --format csv
lines out 5
has out "dims=N:4"
has out "dims=N:8"
lacks out past

# A file of something else is not touched; a broken line in the middle stops both bench and table, a torn end neither.
foreign() {
  cp "$1" foreign_before
  expect 2 "$MEMPLAN" bench -o "$1" --place naive abc.csv
  empty out
  has err "$2"
  cmp -s "$1" foreign_before || fail "bench changed $1"
}
echo "my notes" >notes.txt
foreign notes.txt "notes.txt:1: no result line of memplan bench"
printf 'no end of line' >torn.txt
foreign torn.txt "torn.txt:1: no result line"
cp "$examples/training_step.json" model.json
foreign model.json "model.json:1: no result line"
{ head -1 before.jsonl; echo broken; tail -1 before.jsonl; } >middle.jsonl
foreign middle.jsonl "middle.jsonl:2: no result line"
expect 2 "$MEMPLAN" table middle.jsonl
has err "middle.jsonl:2: no result line"
head -c $(($(wc -c <before.jsonl) - 20)) before.jsonl >torn.jsonl
expect 0 "$MEMPLAN" table torn.jsonl
has err "the last line is not complete"
lines out $runs
head -c $(($(wc -c <before.jsonl) - 1)) before.jsonl >unended.jsonl
expect 0 "$MEMPLAN" table unended.jsonl
empty err
lines out $((runs + 1))
expect 0 "$MEMPLAN" bench -o unended.jsonl abc.csv training_step.json
has err "0 runs made, $runs were there"
lines unended.jsonl $runs

# A broken file is one line with its error, exit code 4.
printf 'id,lower,upper,size\nA,0:1,2:3,4\n' >clock.csv
expect 4 "$MEMPLAN" bench --place naive clock.csv abc.csv
lines out 2
[ "$(grep -c '"order":null,"place":null,.*"error":"clock.csv:2' out)" -eq 1 ] || fail "the broken file has no error line"
cp out broken.jsonl
expect 4 "$MEMPLAN" bench --no-keep-going --place naive clock.csv abc.csv
lines out 1

# It is tried again each time, and fails again without another line; once it is mended, tables leave the error out.
cp clock.csv mended.csv
expect 4 "$MEMPLAN" bench --place naive -o mended.jsonl mended.csv abc.csv
expect 4 "$MEMPLAN" bench --place naive -o mended.jsonl mended.csv abc.csv
has err "0 runs made, 2 were there, 1 failed"
lines mended.jsonl 2
expect 0 "$MEMPLAN" table mended.jsonl --format csv
has out "mended.csv:2"
cp abc.csv mended.csv
expect 0 "$MEMPLAN" bench --place naive -o mended.jsonl mended.csv abc.csv
has err "1 runs made, 1 were there, 0 failed"
expect 0 "$MEMPLAN" table mended.jsonl --format csv
lines out 3
lacks out "mended.csv:2"
expect 0 "$MEMPLAN" table mended.jsonl --rows instances --format csv
lines out 3
lacks out ",1,1,"

# Tables.
cp before.jsonl all.jsonl
expect 0 "$MEMPLAN" table all.jsonl
lines out $((runs + 1))
expect 0 "$MEMPLAN" table all.jsonl --rows instances --format csv
lines out 3
grep -q '^abc.csv,,3,.*,10485760,10485760,0.000000,14680064,' out || fail "the best run of abc.csv is not its optimum"
expect 0 "$MEMPLAN" table all.jsonl --rows methods --format json
lines out $runs
expect 0 "$MEMPLAN" table all.jsonl --rows methods --format md -o methods.md
has methods.md "| greedy-peak | first-fit-size |"
expect 0 "$MEMPLAN" table broken.jsonl - <all.jsonl
expect 0 "$MEMPLAN" table broken.jsonl --rows methods
expect 2 "$MEMPLAN" table missing.jsonl
printf '{"no": "result"}\n' >bad.jsonl
expect 2 "$MEMPLAN" table bad.jsonl
has err "bad.jsonl:1"
printf 'no json\n' >bad.jsonl
expect 2 "$MEMPLAN" table bad.jsonl
: >none.jsonl
expect 0 "$MEMPLAN" table none.jsonl
lines out 1
finish
