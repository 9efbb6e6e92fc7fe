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
has err "1 other file of the folder holds no problem: skipped"
lines err 2
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
has err "m0.csv would have one name, so that one would overwrite the other"
expect 2 "$MEMPLAN" solve --plot x.svg models
mkdir nothing
expect 2 "$MEMPLAN" solve nothing
has err "no file in this folder"

# In a folder, what is no problem is left out and counted; named, it is an error.
mkdir mixed
cp models/m0.csv mixed/
cp models/corrupt.json mixed/
: >mixed/empty.csv
printf '\001\002\003' >mixed/garbage.json
printf 'file,ops,peak\nm.onnx,3,4\n' >mixed/index.csv
printf '{"input": [1, 3, 224, 224]}\n' >mixed/m.shapes.json
"$MEMPLAN" solve -q -o mixed/other.json models/m0.csv
"$MEMPLAN" solve -q -o mixed/m0.plan.json models/m0.csv
"$MEMPLAN" bench --place naive -o mixed/results.jsonl models/m0.csv 2>/dev/null
echo '[1, 2]' >mixed/list.json
echo text >mixed/notes.txt
cp "$examples/training_step.json" mixed/
expect 4 "$MEMPLAN" solve mixed
lines out 6
[ "$(grep -c ' error ' out)" -eq 3 ] || fail "damaged files have no rows of their own"
has err "5 other files of the folder hold no problem: skipped"
has err "3 of 5 files failed"
expect 4 "$MEMPLAN" solve -v mixed
for name in index.csv m.shapes.json other.json m0.plan.json list.json notes.txt results.jsonl; do
  has err "mixed/$name: skipped"
done
expect 4 "$MEMPLAN" bench --place naive -o bench.jsonl mixed
has err "5 other files of the folder hold no problem: skipped"
expect 2 "$MEMPLAN" solve mixed/index.csv
expect 2 "$MEMPLAN" solve mixed/other.json
expect 3 "$MEMPLAN" solve mixed/m.shapes.json

# What is no file is told: a link to nothing is an error of its own, a pipe and a folder are not entered.
mkdir odd odd/inner
cp models/m0.csv odd/
cp models/m1.csv odd/inner/
ln -s nowhere.onnx odd/link.onnx
mkfifo odd/pipe.csv
expect 4 "$MEMPLAN" solve odd
lines out 3
has out link.onnx
has err "1 other file of the folder holds no problem: skipped"
expect 4 "$MEMPLAN" solve -v odd
has err "odd/pipe.csv: skipped: a pipe or device"
has err "odd/inner: skipped: a folder inside the folder"
rm odd/m0.csv odd/link.onnx odd/pipe.csv
expect 2 "$MEMPLAN" solve odd
has err "folders inside it are not entered: name them"

# --dim holds for the models that have the name.
expect 0 "$MEMPLAN" solve --dim batch=1 --dim past=128 --dim N=4 "$examples"
lines out 8
empty err
expect 0 "$MEMPLAN" solve --dim batch=1 --dim past=128 --dim N=4 --dim q=2 --shape nothing=3 "$examples"
has err "--dim q: no file that was read has a dimension of this name"
has err "--shape nothing: no file that was read has an input of this name"
lines err 2

# What is meant for other models changes nothing of a model's problem: its plan is the one that it has alone.
set -- --order given --place skyline -q
expect 0 "$MEMPLAN" solve "$@" --dim batch=1 --dim past=128 --dim N=4 --shape nothing=4x64 -o together/ "$examples"
has together/transformer_kv.onnx.plan.json '"dims":{"batch":1,"past":128}'
lacks together/transformer_kv.onnx.plan.json nothing
expect 0 "$MEMPLAN" solve "$@" --dim past=128 --dim batch=1 -o alone.json "$examples/transformer_kv.onnx"
cmp -s alone.json together/transformer_kv.onnx.plan.json || fail "the dimensions of other models change a plan"
expect 0 "$MEMPLAN" solve "$@" -o alone.json "$examples/nasnet_cells.json"
cmp -s alone.json together/nasnet_cells.json.plan.json || fail "the dimensions of models change the plan of a graph"
expect 0 "$MEMPLAN" bench "$@" --dim past=128 --dim N=4 -o dims.jsonl "$examples/nasnet_cells.json" \
  "$examples/training_step.json"
expect 0 "$MEMPLAN" bench --order given --place skyline --dim N=8 -o dims.jsonl "$examples/nasnet_cells.json" \
  "$examples/training_step.json"
has err "0 runs made, 2 were there"
expect 2 "$MEMPLAN" solve --dim q=2 models/m0.csv
has err "--dim q: the file has no dimension of this name"
expect 2 "$MEMPLAN" info --shape q=2 "$examples/training_step.json"
has err "--shape q: the file has no input of this name"
expect 2 "$MEMPLAN" solve --dim batch=1 "$examples/mobilenet_like.onnx"
has err "--dim batch=1"
finish
