#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# eval/bench_order.py on small graphs without peers: its lines, its tables, its ablation, an interrupted run, its sets, and
# lines of several builds.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "skipped: Python 3.10 is needed"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1 MEMPLAN_DATA="$work/data"
mkdir -p data/order
cp "$examples/nasnet_cells.json" data/order/

bench() {
  python3 "$MEMPLAN_SOURCE_DIR/eval/bench_order.py" --memplan "$MEMPLAN" --peers "$work/none" --out . --time-limit 5 "$@"
}

expect 0 bench --lines runs.jsonl
has err "no CP-SAT"
lines runs.jsonl 1
has runs.jsonl '"graph":"order/nasnet_cells.json","operators":274'
has runs.jsonl '"optimum":8417024,"bound":8417024,"proven":true'
lacks runs.jsonl '"error"'
expect 0 bench --lines runs.jsonl
lines runs.jsonl 1
expect 0 bench --lines runs.jsonl --report
has order.md "1 of 1 graphs proven"
has order.md "None is open."
has order.md "| order | 1 | 0 | 1 | 1 |"
lines order.csv 2
expect 1 bench --sets nothing
has err "there is no set nothing"

# The sets of the zoo with and without in-place pairs, of models; a file that cannot be read.
mkdir -p data/zoo/graph data/zoo/onnx data/onnx-real data/onnx-light
cp "$examples/nasnet_cells.json" data/zoo/graph/f-cells.json
cp "$examples/inception_like.onnx" data/onnx-light/
echo nothing >data/onnx-real/nothing.onnx
echo file >data/zoo/graph/index.csv
cp data/zoo/graph/index.csv data/zoo/onnx/
printf 'file\nnothing.onnx\n' >data/onnx-real/index.csv
expect 0 bench --lines sets.jsonl --sets zoo-off,onnx --memory-limit 100MiB
lines sets.jsonl 3
has sets.jsonl '"graph":"zoo/graph/f-cells.json --inplace none"'
has sets.jsonl '"limit_s":5.0'
# Lines of an older build lack some keys, and may hold what the newer ones do not.
sed 's/"probe":[^,]*,//; s/"limit_s":[^,]*,//; s/"cp_peak":null/"cp_peak":9999999/; s/"cp_proven":null/"cp_proven":false/
  s/"memplan_sha256":"......../"memplan_sha256":"01234567/' runs.jsonl >old.jsonl
sed 's#order/nasnet#order/other#' old.jsonl >other.jsonl
expect 0 bench --report --lines old.jsonl --lines other.jsonl --lines sets.jsonl --lines runs.jsonl
lines order.csv 6
has order.md "4 of 5 graphs proven, 1 cannot be read; CP-SAT 0 of 2."
has order.md "| zoo, forward, in-place off | 1 | 0 | 1 | 1 |"
has order.md "| onnx | 2 | 1 | 1 | 1 |"
has order.md "| 0.5 s | yes |"
has order.csv ",01234567"

# The bound of a row is the highest of all its runs; above the peak it is an error.
raised() {
  sed "s/\"optimum\":8417024,\"bound\":8417024,\"proven\":true/\"optimum\":8417024,\"bound\":8000000,\"proven\":false/
    s/\"cut\":[^,]*,/\"cut\":null,/; s/\"search\":[^,]*,/\"search\":8100000,/; s/\"in_out\":[^,]*,/\"in_out\":7000000,/
    s/\"probe\":[^,]*,/\"probe\":null,/; s/\"bound_2\":[0-9]*/\"bound_2\":$1/" runs.jsonl >raised.jsonl
}
has runs.jsonl '"bound_2":8417024'
raised 8000000
expect 0 bench --report --lines raised.jsonl
has order.md "nasnet_cells.json: [8100000, 8417024], 3.77 %"
raised 8200000
expect 0 bench --report --lines raised.jsonl
has order.md "nasnet_cells.json: [8200000, 8417024], 2.58 %"
raised 8417025
expect 1 bench --report --lines raised.jsonl
has err "nasnet_cells.json: a bound passes a peak"

expect 0 bench --lines off.jsonl --ablation
expect 0 bench --lines off.jsonl --ablation --report
has order_ablation.md "order-commits"
# Graphs of training have a set of their own; lines in several files make one table.
cp "$examples/nasnet_cells.json" data/zoo/graph/t-dlrm-b1.json
cp "$examples/nasnet_cells.json" data/zoo/graph/t-mlp-b1.json
expect 0 bench --lines training.jsonl --ablation --sets training
lines training.jsonl 1
expect 0 bench --lines off.jsonl --lines training.jsonl --lines off.jsonl --ablation --report
has order_ablation.md "| zoo/graph/t-dlrm-b1.json |"
lines order_ablation.md 9
finish
