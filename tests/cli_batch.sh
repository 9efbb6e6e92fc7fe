#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Many files in one run: 98 good ones, one corrupt, one unsupported.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

mkdir models
i=0
while [ $i -lt 98 ]; do
  printf 'id,lower,upper,size\nA,0,2,%d\nB,1,3,5\n' $((i + 1)) >models/m$i.csv
  i=$((i + 1))
done
printf '{"format": "memplan-graph", "version": 1, "tens' >models/corrupt.json
printf 'id,lower,upper,size\nA,0:1,2:3,4\n' >models/clock.csv
echo "not a model" >models/notes.txt

expect 4 "$MEMPLAN" solve models
lines out 101
[ "$(grep -c ' optimal ' out)" -eq 98 ] || fail "not 98 rows are optimal"
[ "$(grep -c ' error ' out)" -eq 2 ] || fail "not 2 rows are errors"
has err "2 of 100 files failed"
lines err 1
expect 4 "$MEMPLAN" solve --format csv models/*.csv models/*.json
lines out 101
[ "$(grep -c ',error,' out)" -eq 2 ] || fail "CSV: not 2 rows are errors"
expect 4 "$MEMPLAN" solve --format md models
lines out 102
[ "$(grep -c '| error |' out)" -eq 2 ] || fail "Markdown: not 2 rows are errors"
expect 4 "$MEMPLAN" solve --format json models
lines out 100
[ "$(grep -c '"error":' out)" -eq 2 ] || fail "JSON: not 2 lines are errors"
[ "$(grep -c '^{"tool":"memplan",.*}$' out)" -eq 100 ] || fail "JSON: not every line is an object"
if command -v jq >/dev/null; then
  [ "$(jq -s '[.[] | select(.peak != null)] | length' out)" = 98 ] || fail "jq does not find 98 peaks"
fi
expect 4 "$MEMPLAN" solve -q models
empty out
lines err 3

# The order of a folder is that of its names; --no-keep-going stops at the first failure.
expect 4 "$MEMPLAN" solve --no-keep-going --format csv models/m0.csv models/clock.csv models/m1.csv
lines out 3
expect 0 "$MEMPLAN" solve models/m0.csv models/m1.csv
expect 20 "$MEMPLAN" solve --capacity 7 models/m1.csv models/m9.csv
expect 4 "$MEMPLAN" solve --capacity 7 models/m1.csv models/m9.csv models/clock.csv

# Plans go to a folder, one each; names that collide are refused before anything is done.
expect 4 "$MEMPLAN" solve -q -o plans/ models
[ "$(ls plans | wc -l)" -eq 98 ] || fail "not 98 plans were written"
expect 0 "$MEMPLAN" verify models/m5.csv plans/m5.csv.plan.json
expect 2 "$MEMPLAN" solve -o plans.json models
has err "need a folder"
mkdir other
cp models/m0.csv other/
expect 2 "$MEMPLAN" solve -o plans/ models/m0.csv other/m0.csv
has err "two inputs are called 'm0.csv'"
expect 2 "$MEMPLAN" solve --plot x.svg models
mkdir nothing
expect 2 "$MEMPLAN" solve nothing
has err "no file in this folder"

# --dim holds for the models that have the name.
expect 10 "$MEMPLAN" solve --dim batch=1 --dim past=128 --dim N=4 "$examples"
lines out 8
expect 2 "$MEMPLAN" solve --dim batch=1 "$examples/mobilenet_like.onnx"
has err "--dim batch=1"
finish
