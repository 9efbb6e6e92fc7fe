#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `memplan check`: certificates that prove their claim, and those that do not.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

printf 'id,lower,upper,size\na,0,2,3\nb,0,2,2\nc,1,3,4\n' >three.csv
expect 0 "$MEMPLAN" solve --format json three.csv
print=$(sed 's/.*"fingerprint":"\([^"]*\)".*/\1/' out)
head='{"format":"memplan-certificate","version":1,"fingerprint":"'$print'"'
printf '%s\n' "$head"',"kind":"load","claim":9,"time":1}' >load.jsonl
expect 0 "$MEMPLAN" check three.csv load.jsonl
has out "load.jsonl: proven for three.csv: no placement has a peak below 9 bytes (load, 0 steps)"
expect 0 "$MEMPLAN" check --format json three.csv load.jsonl
has out '"proven":true,"kind":"load","claim":9'
expect 0 "$MEMPLAN" check -q three.csv load.jsonl
empty out
printf '%s\n' "$head"',"kind":"load","claim":10,"time":1}' >more.jsonl
expect 1 "$MEMPLAN" check three.csv more.jsonl
has out "more.jsonl: proves nothing for three.csv: line 1: less than the claim is live at that time"
expect 1 "$MEMPLAN" check --format json three.csv more.jsonl
has out '"proven":false'

start="$head"',"kind":"clauses","claim":9,"unit":1,"buffers":["a","b","c"]}'
printf '%s\n%s\n' "$start" '{"c":[],"h":[[0,0,8,0,1,2]]}' >clauses.jsonl
expect 0 "$MEMPLAN" check three.csv clauses.jsonl
has out "no placement has a peak below 9 bytes (clauses, 1 step)"
printf '%s\n%s\n' "$start" '{"c":[],"h":[[0,0,8,0,1]]}' >dropped.jsonl
expect 1 "$MEMPLAN" check three.csv dropped.jsonl
has out "line 2: an overload lemma is wrong"
# Other options make another problem.
expect 1 "$MEMPLAN" check --align 4 three.csv clauses.jsonl
has out "the fingerprints differ"
# What is no certificate proves nothing; what is no file or no problem is an error of the input.
expect 1 "$MEMPLAN" check three.csv three.csv
has out "line 1: the line is no JSON object"
expect 2 "$MEMPLAN" check three.csv missing.jsonl
expect 2 "$MEMPLAN" check missing.csv clauses.jsonl
expect 2 "$MEMPLAN" check three.csv

# What solve writes is accepted: of a load, and of an optimum above it.
expect 0 "$MEMPLAN" solve -q --certificate load.cert three.csv
expect 0 "$MEMPLAN" check three.csv load.cert
has out "(load, 0 steps)"
printf 'id,lower,upper,size,alignment\na,0,2,5,8\nb,0,2,5,8\n' >two.csv
expect 0 "$MEMPLAN" solve -q --certificate two.cert two.csv
expect 0 "$MEMPLAN" check two.csv two.cert
has out "no placement has a peak below 13 bytes"
expect 2 "$MEMPLAN" solve -q --certificate two.csv two.csv
expect 2 "$MEMPLAN" solve -q --certificate two.cert two.csv three.csv
