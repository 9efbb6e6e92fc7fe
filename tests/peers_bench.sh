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
lines ablation.jsonl $((2 * ($("$MEMPLAN" list techniques --format csv | wc -l))))
expect 0 ablation --report --out tables
has tables/ablation.md '| all on | 2 | 2 | 2 |'
has tables/ablation.md '| no pigeonhole | 2 | 2 | 2 |'

finish
