#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# eval/bench_place.py on two small instances: turns, resumption, tables, and results that contradict each other.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "skipped: Python 3.10 is needed"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1 MEMPLAN_DATA="$work/data"
mkdir -p data/tight
printf 'id,lower,upper,size\na,0,4,4\nb,0,2,6\nc,2,6,6\nd,4,8,4\ne,6,8,6\n' >data/tight/t1.csv
printf 'id,lower,upper,size\na,0,3,2\nb,2,5,2\nc,0,2,3\nd,3,5,3\n' >data/tight/t2.csv
printf 'file,n,optimum\nt1.csv,5,10\nt2.csv,4,5\n' >data/tight/index.csv

bench() {
  python3 "$MEMPLAN_SOURCE_DIR/eval/bench_place.py" --memplan "$MEMPLAN" --peers "$work/none" --lines runs.jsonl \
    --place "" "$@"
}

measure() {
  bench --sets tight --repeat 2 --tools memplan-1,memplan-2,heuristics \
    --variant 'best=SOME_SWITCH=1 --place best-fit'
}

expect 0 measure
lines out 14
lines runs.jsonl 14
has err "no peers"
[ "$(grep -c '"verified":true' runs.jsonl)" -eq 12 ] || fail "a plan was not verified"
# On each instance the tools take turns.
turns=$(grep 't1.csv.*"limit_s":10' runs.jsonl |
  sed 's/.*"config":"\([a-z0-9-]*\)".*"seed":\([0-9]\).*/\1.\2/' | tr '\n' ' ')
[ "$turns" = 'memplan-1.0 memplan-2.0 best.0 memplan-1.1 memplan-2.1 best.1 ' ] || fail "turns: $turns"

# A torn last line is made again, nothing else.
head -c $(($(wc -c <runs.jsonl) - 20)) runs.jsonl >torn.jsonl
cp torn.jsonl runs.jsonl
expect 0 measure
lines out 1
lines runs.jsonl 14

expect 0 bench --report --out tables
empty err
for file in place_tight.md place_tight.csv place_summary.md place_runs.jsonl; do
  [ -s "tables/$file" ] || fail "there is no $file"
done
has tables/place_tight.md '| t1.csv | 5 | 10 | 10 | 10 |'
has tables/place_tight.md '| t2.csv | 4 | 5 |'
has tables/place_tight.csv 'tight/t2.csv,4,5,5,memplan-1,10'
has tables/place_summary.md '| memplan-1 | 2 |'
lacks tables/place_runs.jsonl "$work"

# Columns that some sets have: rates, memory, what a buffer takes; a file's own objective.
sed 's/"set":"tight"/"set":"minimalloc"/; s/"nodes":[0-9][0-9]*/"nodes":200000/; s/"cpu_s":[0-9.][0-9.]*/"cpu_s":0.5/g' \
  runs.jsonl >rated.jsonl
sed 's/"set":"tight"/"set":"million"/; s/"cpu_s":[0-9.][0-9.]*/"cpu_s":0.5/g
  s/"max_rss_bytes":[0-9][0-9]*/"max_rss_bytes":12345678/' runs.jsonl >>rated.jsonl
sed 's/"set":"tight"/"set":"dsa"/; s/"kind":"[a-z]*"/"kind":"pools"/; s/"reuse_cost":null/"reuse_cost":7/' \
  runs.jsonl >>rated.jsonl
expect 0 bench --report --lines rated.jsonl --out rated
has rated/place_minimalloc.md '| nodes | nodes per CPU s | CPU µs per node |'
has rated/place_minimalloc.md '| 200000 | 400000 | 2.50 |'
has rated/place_million.md '| CPU µs per buffer |'
has rated/place_million.md '| 100000.00 |'
has rated/place_million.md '| memplan-1: max_rss_bytes |'
has rated/place_million.md '| 12345678 |'
has rated/place_dsa.md '| reuse cost |'
has rated/place_dsa.md '| 10, optimal by the objective |'
lacks rated/place_dsa.md 'max_rss_bytes'
mkdir data/dsa
"$MEMPLAN" gen random --n 6 --to dsa -o data/dsa/a.json
python3 - <<'END'
import json
told = json.load(open("data/dsa/a.json"))
told["problem"]["objective"] = {"aggregation": "lexicographic", "terms": ["capacity_overflow", "reuse_cost"]}
json.dump(told, open("data/dsa/b.json", "w"))
END
expect 0 bench --lines dsa.jsonl --sets dsa --repeat 1 --tools memplan-1
lines dsa.jsonl 2
has dsa.jsonl '"objective":"reuse cost"'
expect 0 bench --report --lines dsa.jsonl --out dsa
has dsa/place_dsa.md ', no lower reuse cost |'

# A plan below a proven optimum, an unverified plan: told, exit code 1.
printf 'file,n,optimum\nt1.csv,5,11\n' >data/tight/index.csv
expect 1 bench --report --out tables
has err 'tight/t1.csv: a plan of 10 below the reference 11'

# Lines of another build are not mixed in.
sed 's/"memplan_sha256":"..../"memplan_sha256":"0000/' runs.jsonl >other.jsonl
cp other.jsonl runs.jsonl
expect 1 bench --sets tight --repeat 1
has err "made by another build"
expect 1 bench --place nonsense
has err "'nonsense' is unknown"

# One technique off at a time, into tables of its own.
printf 'file,n,optimum\nt1.csv,5,10\nt2.csv,4,5\n' >data/tight/index.csv
ablation() {
  python3 "$MEMPLAN_SOURCE_DIR/eval/bench_place.py" --memplan "$MEMPLAN" --lines ablation.jsonl --ablation "$@"
}
expect 0 ablation --sets tight --repeat 1 --work-limit 1000000
lines ablation.jsonl $((2 * ($("$MEMPLAN" list techniques --format csv | grep -cv "^order-\|^ilp-\|^joint-"))))
expect 0 ablation --report --out tables
has tables/ablation.md '| all on | 2 | 2 | 2 |'
has tables/ablation.md '| no pigeonhole | 2 | 2 | 2 |'
# Proofs count that took 10 s of CPU time at most; a table has the instances that each of its rows has run.
sed '/t1.csv.*"config":"no pigeonhole"/s/"cpu_s":[0-9.][0-9.e-]*/"cpu_s":10.5/g' ablation.jsonl >slow.jsonl
expect 0 ablation --report --lines slow.jsonl --out tables
has tables/ablation.md '| all on | 2 | 2 | 2 |'
has tables/ablation.md '| no pigeonhole | 2 | 1 | 1 | 10.0'
has tables/ablation.md '| t1 |'
has tables/ablation.md 'Runs ended after 10 s.'
sed '1s/"stop_reason":"done"/"stop_reason":"work"/' ablation.jsonl >work.jsonl
expect 0 ablation --report --lines work.jsonl --out tables
has tables/ablation.md 'Runs ended after 10 s, or at a limit of work.'
sed '/t2.csv.*"config":"no beam"/d' ablation.jsonl >fewer.jsonl
expect 0 ablation --report --lines fewer.jsonl --out tables
[ "$(grep -c '^| .* | 1 | 1 | 1 |' tables/ablation.md)" -eq "$(grep -c '^| [an]' tables/ablation.md)" ] ||
  fail "the rows are not of the same instance"
has tables/ablation.md '; left out, for not each row has run them: 1.'
expect 1 ablation --sets tight,nothing
has err 'there is no set nothing'

finish
