#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Orders and plans from files: --order FILE, --start PLAN, and models written in the order of a plan.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"
step=$examples/training_step.json
quick="--place first-fit-size --threads 1"

# The order of a plan, as a plan, as a list and from standard input, is the same order.
expect 10 "$MEMPLAN" solve -q $quick --order dfs -o dfs.json "$step"
order_of() { sed -n 's/^ *"order": *\[\(.*\)\],*$/\1/p' "$1" | sed 's/", *"/\n/g; s/^"//; s/"$//'; }
order_of dfs.json >dfs.txt
lines dfs.txt 215
for file in dfs.json ./dfs.txt; do
  expect 10 "$MEMPLAN" solve -q $quick --order "$file" -o again.json "$step"
  order_of again.json | cmp -s - dfs.txt || fail "$file is not followed"
done
expect 10 "$MEMPLAN" solve $quick --order - "$step" <dfs.txt
has out "order file, placement first-fit-size"
lacks out "in every order"
expect 2 "$MEMPLAN" solve --order - - <dfs.txt
has err "are both standard input"

# Comments and blank lines are no operators.
{ echo "# made by hand"; echo; cat dfs.txt; echo "#"; } >marked.txt
expect 10 "$MEMPLAN" solve -q $quick --order marked.txt -o again.json "$step"
order_of again.json | cmp -s - dfs.txt || fail "a comment changes the order"

# Also where nothing is placed.
expect 0 "$MEMPLAN" bound --order dfs.txt "$step"
has out "no plan on this order has a peak below"
expect 0 "$MEMPLAN" info --order dfs.txt "$step"
has out "on the order of dfs.txt"
has out "listed order"
expect 0 "$MEMPLAN" info --order dfs.txt --format json "$step"
has out '"order_file":"dfs.txt"'
load=$(sed -n 's/.*"load":{"bytes":\([0-9]*\).*/\1/p' out)
expect 10 "$MEMPLAN" solve --format json $quick --order dfs.txt "$step"
has out "\"order_peak\":${load:-?},"
expect 0 "$MEMPLAN" info --order given "$step"
cp out given.out
expect 0 "$MEMPLAN" info "$step"
cmp -s out given.out || fail "info --order given is not info"
expect 2 "$MEMPLAN" info --order dfs "$step"
has err "info plans nothing: --order takes given, or a FILE"
expect 0 "$MEMPLAN" explain --order dfs.txt "$step"
has out "training_step.json, the order in dfs.txt: the fullest step"
expect 0 "$MEMPLAN" convert --order dfs.txt --to csv "$step"
expect 0 "$MEMPLAN" bench --order dfs.txt --place skyline "$step"
has out '"order":"file"'
has out '"order_file":"dfs.txt"'

# A method goes before a file of its name; what is neither is told.
cp dfs.txt lpmf
expect 10 "$MEMPLAN" solve $quick --order lpmf "$step"
has out "order lpmf"
expect 10 "$MEMPLAN" solve $quick --order ./lpmf "$step"
has out "order file"
expect 2 "$MEMPLAN" solve --order lmpf "$step"
has err "'lmpf' is unknown and no file, did you mean 'lpmf'?"
sed 3d dfs.txt >short.txt
expect 2 "$MEMPLAN" solve --order short.txt "$step"
has err "is missing: an order names every operator once"
expect 2 "$MEMPLAN" info --order short.txt "$step"
has err "is missing: an order names every operator once"
write_abc abc.csv
expect 3 "$MEMPLAN" solve --order dfs.txt abc.csv
has err "lifetimes have no order"
expect 3 "$MEMPLAN" info --order dfs.txt abc.csv
has err "lifetimes have no order"

# A start: never worse, refused where it is not valid.
expect 10 "$MEMPLAN" solve -q --order given --place naive -o naive.json "$step"
expect 0 "$MEMPLAN" solve -q --start naive.json -o better.json "$step"
expect 0 "$MEMPLAN" solve --start better.json "$step"
has out "order start, placement start"
expect 2 "$MEMPLAN" solve --start better.json abc.csv
has err "better.json is not valid here: "
expect 2 "$MEMPLAN" solve --start better.json --order given "$step"
has err "the plan to begin with has another order"
expect 10 "$MEMPLAN" solve -q --place naive -o abc.json abc.csv
expect 0 "$MEMPLAN" solve -q --start abc.json abc.csv

# A model in the order of a plan.
expect 0 "$MEMPLAN" solve -q $quick --order bfs -o bfs.json "$examples/unet_like.onnx"
expect 0 "$MEMPLAN" convert --plan bfs.json -o new.onnx "$examples/unet_like.onnx"
expect 0 "$MEMPLAN" solve -q $quick --order given -o new.json new.onnx
order_of bfs.json >bfs.txt
order_of new.json | cmp -s - bfs.txt || fail "new.onnx has another order than its plan"
expect 0 "$MEMPLAN" verify new.onnx bfs.json
expect 0 "$MEMPLAN" verify "$examples/unet_like.onnx" new.json
expect 0 "$MEMPLAN" solve -q $quick --order given -o given.json "$examples/unet_like.onnx"
expect 0 "$MEMPLAN" convert --plan given.json -o same.onnx "$examples/unet_like.onnx"
cmp -s same.onnx "$examples/unet_like.onnx" || fail "the given order does not leave the model as it was"
expect 0 "$MEMPLAN" convert --plan bfs.json --to csv "$examples/unet_like.onnx"
expect 1 "$MEMPLAN" convert --plan bfs.json -o other.onnx "$examples/inception_like.onnx"
[ ! -e other.onnx ] || fail "a model was written for a plan that is not its own"
expect 3 "$MEMPLAN" convert --plan dfs.json -o other.onnx "$step"
has err "is not a file of format onnx"
expect 2 "$MEMPLAN" convert --plan bfs.json --order given -o other.onnx "$examples/unet_like.onnx"
has err "give one of the two"
expect 2 "$MEMPLAN" convert -o other.onnx "$step"
has err "give --plan PLAN for it, or another format"
expect 2 "$MEMPLAN" convert --plan bfs.json -o other.json "$examples/unet_like.onnx"
finish
