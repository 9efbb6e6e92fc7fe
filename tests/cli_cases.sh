#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cases from the field that only the whole command shows; tests/README.md says where the others are.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

# U14: a file of no buffers is a problem, and every output of it is valid.
printf 'id,lower,upper,size\n' >empty.csv
expect 0 "$MEMPLAN" solve --format json -o empty.plan.json --plot empty.svg --certificate empty.cert empty.csv
has out '"status":"optimal","peak":0'
expect 0 "$MEMPLAN" verify empty.csv empty.plan.json
expect 0 "$MEMPLAN" check empty.csv empty.cert
has empty.svg "</svg>"
expect 0 "$MEMPLAN" solve -q --plot empty.html empty.csv
for format in instance-json omnimalloc idealloc glow csv; do
  expect 0 "$MEMPLAN" convert empty.csv --to $format -o "to.$format"
  expect 0 "$MEMPLAN" solve -q --from $format "to.$format"
done
expect 2 "$MEMPLAN" solve /dev/null
has err "the file is empty"

# U21: the leading gap is used; online first fit needs 240.
printf 'id,lower,upper,size\nA,0,2,100\nB,1,3,80\nC,2,4,60\n' >leading.csv
expect 0 "$MEMPLAN" solve --format json leading.csv
has out '"status":"optimal","peak":180'

# U30: a first fit at the bound ends the search.
expect 0 "$MEMPLAN" solve --place first-fit-size --format json leading.csv
has out '"nodes":0'
has out '"status":"optimal"'

# U31: the order of the rows, and names of the same order, change no offset.
printf 'id,lower,upper,size\na,0,7,6\nb,1,4,4\nc,2,9,5\nd,3,6,4\ne,5,9,3\nf,0,2,2\n' >rows.csv
{ head -1 rows.csv && sed 1d rows.csv | sort -r; } >shuffled.csv
sed 's/^\([a-f]\),/x\1,/' rows.csv >renamed.csv
offsets() {
  expect 0 "$MEMPLAN" solve -q -o "$1.plan.json" "$1.csv"
  sed -n '/"offsets"/,/}/p' "$1.plan.json" | tr -d ' ,' | sed 's/"x/"/' | grep ':[0-9]' | sort >"$1.offsets"
}
for name in rows shuffled renamed; do
  offsets $name
done
lines rows.offsets 6
cmp -s rows.offsets shuffled.offsets || fail "shuffled rows give another plan"
cmp -s rows.offsets renamed.offsets || fail "renamed rows give another plan"

# U85: one pool without a name for it is the plain problem.
buffers='"buffers": [{"id": "a", "bytes": 6, "live": [[0,7]]}, {"id": "b", "bytes": 4, "live": [[1,4]]}, {"id": "c", "bytes": 5, "live": [[2,9]]}]'
printf '{"format": "memplan-instance", "version": 1, %s}' "$buffers" >plain.json
printf '{"format": "memplan-instance", "version": 1, %s, "pools": [{"id": "sram"}]}' "$buffers" >bank.json
for name in plain bank; do
  expect 0 "$MEMPLAN" solve -q -o $name.plan.json $name.json
  sed -n '/"offsets"/,/}/p' $name.plan.json >$name.offsets
done
[ -s plain.offsets ] || fail "the plan holds no offsets"
cmp -s plain.offsets bank.offsets || fail "one bank changes the plan"

# U36: a hint is not passed over in silence.
printf 'id,lower,upper,size,hint\na,0,3,4,8\nb,1,4,4,0\n' >hint.csv
expect 0 "$MEMPLAN" solve hint.csv
has err "the column 'hint' is kept, but no method uses it"

# U28, U29: time that ran out is no proof, and more of it never makes a plan worse.
if [ -n "${MEMPLAN_DATA:-}" ]; then
  expect 0 "$MEMPLAN" solve --time-limit 50ms --capacity 2M --format json "$MEMPLAN_DATA/minimalloc/A.1048576.csv"
  has out '"lower_bound":1048576'
  has out '"fits":true'
  expect 0 "$MEMPLAN" solve --time-limit 0 --capacity 2M --format json "$MEMPLAN_DATA/minimalloc/A.1048576.csv"
  has out '"fits":true'
  "$MEMPLAN" solve --time-limit 0 --format json "$MEMPLAN_DATA/minimalloc/D.1048576.csv" >out
  [ $? -eq 10 ] || fail "a plan that is not proven is not exit code 10"
  has out '"status":"feasible"'
  # D has a plan of 986,112 bytes, above its bound of 983,040: nothing said within no time may deny it.
  expect 30 "$MEMPLAN" solve --time-limit 0 --capacity 986112 --format json "$MEMPLAN_DATA/minimalloc/D.1048576.csv"
  lacks out '"status":"infeasible"'
  expect 20 "$MEMPLAN" solve --time-limit 0 --capacity 100000 "$MEMPLAN_DATA/minimalloc/D.1048576.csv"
  before=
  for limit in 0 100ms 500ms; do
    "$MEMPLAN" solve --time-limit $limit --format json "$MEMPLAN_DATA/minimalloc/K.1048576.csv" >out
    peak=$(sed 's/.*"peak":\([0-9]*\),.*/\1/' out)
    [ -z "$before" ] || [ "$peak" -le "$before" ] || fail "the peak rises from $before to $peak with more time"
    before=$peak
  done
else
  echo "MEMPLAN_DATA is not set: the cases U28 and U29 are not run"
fi

# U38, U39: large files, cliques and chains, from reading to verification; nothing is as large as all pairs.
large() { # file, lower bound, time limit
  expect 0 timeout 100 "$MEMPLAN" bound --format json "$1"
  has out "\"lower_bound\":$2,"
  timeout 100 "$MEMPLAN" solve -q --time-limit $3 -o large.plan.json "$1"
  code=$?
  [ $code -eq 0 ] || [ $code -eq 10 ] || fail "exit code $code of $1"
  expect 0 timeout 100 "$MEMPLAN" verify "$1" large.plan.json
}
if [ -n "${MEMPLAN_DATA:-}" ]; then
  large "$MEMPLAN_DATA/idealloc/S_1.csv" 1498635932 2s
  large "$MEMPLAN_DATA/idealloc/G_1.csv" 3030937746 2s
  large "$MEMPLAN_DATA/idealloc/resnet50.csv" 1515472556 2s
fi
awk 'BEGIN { print "id,lower,upper,size"; for (i = 0; i < 100000; i++) print "b" i ",0,1," 1 + i % 97 }' >clique.csv
large clique.csv 4899685 80s
has large.plan.json '"peak": 4899685'
awk 'BEGIN { print "id,lower,upper,size"; for (i = 0; i < 50000; i++) print "b" i "," i "," i + 1 "," 1 + i % 97 }' >chain.csv
large chain.csv 97 80s
has large.plan.json '"peak": 97'

# Every test that the table of cases names is there.
table=$MEMPLAN_SOURCE_DIR/tests/README.md
sed -n 's/^| U[^|]*| \([^|]*\) |.*/\1/p' "$table" | tr -d '`' | tr ';' '\n' >named
[ "$(wc -l <named)" -gt 60 ] || fail "the table of cases is not read"
while read -r file names; do
  [ -f "$MEMPLAN_SOURCE_DIR/tests/$file" ] || fail "there is no tests/$file"
  for name in $names; do
    grep -q "cmocka_unit_test($name)\|$name" "$MEMPLAN_SOURCE_DIR/tests/$file" || fail "tests/$file has no $name"
  done
done <named
finish
