#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# eval/bench_joint.py on generated gap graphs: its lines, its tables, an interrupted run, lines of several builds.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "skipped: Python 3.10 is needed"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
unset MEMPLAN_DATA

bench() {
  python3 "$MEMPLAN_SOURCE_DIR/eval/bench_joint.py" --memplan "$MEMPLAN" --out . "$@"
}

gaps() {
  bench --lines runs.jsonl --sets gap --gap-seeds 2 --only '* --n 40 *'
}
expect 0 gaps
lines runs.jsonl 2
has runs.jsonl '"model":"gen gap --n 40 --seed 0"'
has runs.jsonl '"status":"optimal"'
has runs.jsonl '"certificate_kind":"joint-clauses"'
has runs.jsonl '"certified_s":'
has runs.jsonl '"orders_s":'
has joint.md "| orders s | placement s | engine s | windows s | nogoods s |"
lacks runs.jsonl '"error":"'
expect 0 gaps
lines runs.jsonl 2
lines joint.csv 3
has joint.md "Proven optimal: 2 of 2 files; 0 of them cannot be read."

# Another build, without the newer keys; a file that cannot be read, and one that ended without a plan.
sed 's/"memplan_sha256":"......../"memplan_sha256":"01234567/; s/"certified_s":[0-9.]*,//; s/seed 1/seed 5/' \
  runs.jsonl >old.jsonl
printf '{"model":"%s","status":"failed","error":"%s","exit_code":%s,"memplan_sha256":"89abcdef"}\n' \
  a.onnx "not ONNX" 4 b.onnx killed null >>old.jsonl
expect 0 bench --report --lines old.jsonl --lines runs.jsonl
lines joint.csv 6
has joint.md "Proven optimal: 3 of 5 files; 1 of them cannot be read, 1 ended without a plan."
has joint.csv ",01234567"
lacks joint.md "b.onnx"
expect 1 bench --lines a --lines b --sets gap
has err "several --lines are for --report"

sed 's/"error":null/"error":"certificate refused: at step 7"/' runs.jsonl >refused.jsonl
expect 1 bench --report --lines refused.jsonl
has err "gen gap --n 40 --seed 0: certificate refused: at step 7"

# One part of the search switched off.
ablation() {
  bench --ablation --lines ablation.jsonl --sets gap,layered --gap-seeds 1 --only '* --n [34]0 *' "$@"
}
expect 0 ablation
lines ablation.jsonl 2
expect 0 ablation --report
has joint_ablation.md "| without | gap (1) | layered (1) |"
has joint_ablation.md "| default, all on | 1, "
has joint_ablation.md "| alone, joint-probing | 1, "

# Lines of peers alone join those of memplan; a bound above the other's plan is told.
told='"peers_only":true,"cpsat_peak":9999,"cpsat_bound":1,"cpsat_s":2.5,"cpsat_error":null'
sed 's/^{\("model":"[^"]*"\),.*\(,"memplan_sha256":"[^"]*"\)}$/{\1,'"$told"'\2}/' runs.jsonl >peers.jsonl
expect 0 bench --report --lines runs.jsonl --lines peers.jsonl
lines joint.csv 3
has joint.md "| 9999 | 1 | 2.5 | - |"
sed 's/"cpsat_bound":1/"cpsat_bound":9999/' peers.jsonl >above.jsonl
expect 1 bench --report --lines runs.jsonl --lines above.jsonl
has err "CP-SAT says otherwise"
expect 1 bench --sets nothing
has err "there is no set nothing"
expect 2 bench --tools nothing
has err "there is no tool nothing"
expect 1 bench --sets joint
has err "MEMPLAN_DATA is not set"
finish
