#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memplan gen`: golden instances, folders, formats, wrong usage.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

expect 0 "$MEMPLAN" gen tight --n 12 --fill 100 --seed 3
same out gen_tight.csv
empty err
expect 0 "$MEMPLAN" gen random --n 20 --seed 3
same out gen_random.csv
expect 0 "$MEMPLAN" gen random
lines out 1001
expect 0 "$MEMPLAN" gen tight --seed 4 -o one.csv
empty out
expect 0 "$MEMPLAN" gen tight --seed 4
cmp -s out one.csv || fail "-o and standard output differ"
expect 0 "$MEMPLAN" gen tight --seed 4 -o one.json
fingerprint() {
  "$MEMPLAN" info --format json "$1" | sed 's/.*"fingerprint":"\([^"]*\)".*/\1/'
}
[ "$(fingerprint one.csv)" = "$(fingerprint one.json)" ] || fail "the formats differ"

expect 0 "$MEMPLAN" gen gap --n 16 --seed 3
same out gen_gap.json
expect 0 "$MEMPLAN" gen gap --seed 3 -o gap.json
expect 0 "$MEMPLAN" info gap.json
expect 0 "$MEMPLAN" gen layered --n 12 --seed 3
same out gen_layered.json
expect 0 "$MEMPLAN" gen layered --seed 3 -o layered.json
expect 0 "$MEMPLAN" info layered.json

# several
expect 0 "$MEMPLAN" gen tight --count 3 --seed 7 -o tight
[ "$(ls tight | tr '\n' ' ')" = "tight_7_000.csv tight_7_001.csv tight_7_002.csv " ] || fail "other names: $(ls tight)"
expect 0 "$MEMPLAN" gen tight --count 3 --seed 7 -o tight/
expect 0 "$MEMPLAN" gen tight --seed 7 -o tight
expect 0 "$MEMPLAN" gen tight --seed 7
cmp -s out tight/tight_7_000.csv || fail "the first of several is another instance"
expect 0 "$MEMPLAN" gen random --count 2 --to glow -o traces
has traces/random_0_001.txt "ALLOC 0 "
expect 0 "$MEMPLAN" gen random --count 2 --n 5 --to dsa -o documents
expect 0 "$MEMPLAN" info documents/random_0_001.json

# wrong usage
expect 2 "$MEMPLAN" gen
expect 2 "$MEMPLAN" gen nothing
has err "there is no family 'nothing'; there are: tight, random, gap, layered"
expect 2 "$MEMPLAN" gen tight --count 2
has err "-o FOLDER"
expect 2 "$MEMPLAN" gen tight --count 2 -o -
expect 2 "$MEMPLAN" gen tight --n 5
has err "8 to 200"
for n in 0 -3 1000000000; do
  expect 2 "$MEMPLAN" gen layered --n "$n"
  has err "--n: $n is out of range: give 2 to 1000, operators of the family layered"
done
expect 2 "$MEMPLAN" gen layered --n 1e9
has err "'1e9' is not an integer of 64 bits, as in 1000: give all digits and no unit"
expect 2 "$MEMPLAN" gen random --fill 90
expect 2 "$MEMPLAN" gen tight --fill 101
expect 2 "$MEMPLAN" gen tight --count 0 -o x
expect 2 "$MEMPLAN" gen tight --to plan-json
expect 2 "$MEMPLAN" gen tight --to graph-json
expect 2 "$MEMPLAN" gen gap --to csv
has err "makes graphs, which"
expect 2 "$MEMPLAN" gen gap --n 6
has err "7 to 2000, operators"
expect 2 "$MEMPLAN" gen tight -o x.unknown
[ ! -e x ] && [ ! -e x.unknown ] || fail "something was written all the same"
expect 5 "$MEMPLAN" gen tight --count 2 -o nowhere/at/all
expect 0 "$MEMPLAN" list generators
has out "tight"
has out "--n 1 to 1000000 buffers"
finish

# What is no problem is not made, whether the option or the ending names it.
for format in lp mps plan-json; do
  expect 2 "$MEMPLAN" gen tight --to $format
  has err "tight makes placement problems, which the format $format cannot hold: give --to csv"
done
expect 2 "$MEMPLAN" gen gap -o gap.lp
has err "gap makes graphs, which a file of this ending cannot hold: give --to graph-json"

# Three operators beside a graph, whose alignments pass a limit of the model wherever some of their buffers meet: an order
# that cannot be placed for such a reason is left alone, and proves nothing.
expect 0 "$MEMPLAN" gen layered --n 60 --seed 9 -o layered.json
side='{"id":"big0","bytes":1,"align":2305843009213693952},{"id":"big1","bytes":1,"align":2305843009213693952}'
side="$side"',{"id":"big2","bytes":1,"align":2305843009213693952},'
ops='{"id":"side0","in":[],"out":["big0"]},{"id":"side1","in":[],"out":["big1"]},{"id":"side2","in":[],"out":["big2"]},'
sed "s/\"tensors\":\\[/&$side/; s/\"ops\":\\[/&$ops/" layered.json >beside.json
expect 0 "$MEMPLAN" solve --format json beside.json
has out '"peak":73,"lower_bound":73'
expect 10 "$MEMPLAN" solve --method joint-nogoods --format json -o nogoods.json beside.json
has out '"lower_bound":73'
expect 0 "$MEMPLAN" verify beside.json nogoods.json
