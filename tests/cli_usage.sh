#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Help texts, wrong usage, the generated manual page and completion.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

expect 0 "$MEMPLAN" --help
same out help.txt
for command in solve info bound verify convert bench table list gen; do
  expect 0 "$MEMPLAN" "$command" --help
  has out "Usage: memplan $command"
  has out "Example:"
  empty err
  expect 0 "$MEMPLAN" "$command" -h
done
expect 0 "$MEMPLAN" verify --help
same out help_verify.txt
# What is seldom needed is named, and explained with -v.
expect 0 "$MEMPLAN" solve --help
lacks out "      --fold WHAT"
has out "and --from, --fold, "
has out "\`memplan solve --help -v\` explains all of them."
brief=$(wc -l <out)
expect 0 "$MEMPLAN" solve --help -v
has out "      --fold WHAT"
[ "$brief" -lt "$(wc -l <out)" ] || fail "the short help is as long as the long one"
[ "$brief" -le 110 ] || fail "solve --help has $brief lines"
# No line of a list is wider than a page.
expect 0 "$MEMPLAN" list
for topic in $(sed -n 's/^\([a-z-]*\) .*/\1/p' out | sed 1d); do
  expect 0 "$MEMPLAN" list "$topic" -q
done
for topic in topics methods formats generators techniques options commands exit-codes json-keys; do
  expect 0 "$MEMPLAN" list $topic
  [ "$(wc -L <out)" -le 100 ] || fail "list $topic has a line of $(wc -L <out) columns"
done
expect 0 "$MEMPLAN" --version
[ "$(cat out)" = "memplan $(sed -n 's/^ *VERSION \([0-9.]*\)$/\1/p' "$MEMPLAN_SOURCE_DIR/CMakeLists.txt" | head -1)" ] ||
  fail "--version says '$(cat out)'"

# Wrong usage: one line on stderr, nothing on stdout, exit code 2.
usage() {
  expected_text=$1
  shift
  expect 2 "$MEMPLAN" "$@"
  empty out
  has err "$expected_text"
  lines err 1
}
usage "unknown subcommand 'replay'" replay
usage "did you mean 'solve'" sovle x
usage "subcommand comes first" --threads 2 solve
usage "solve needs FILE" solve
usage "takes FILE, but there is 'b'" bound a b
usage "did you mean --threads" solve --thread 2 x
usage "did you mean --capacity" solve --capcity 2 x
usage "unknown option -Z" solve -Z x
usage "has no option --plot" bound --plot x.svg x
usage "--order needs an argument" solve x --order
usage "-o needs an argument" solve x -o
usage "--strict takes no argument" solve --strict=1 x
usage "given, dfs" solve --order nothing x
usage "did you mean 'greedy-peak'" solve --order greedy-peek x
usage "arena, external, persistent" solve --io nowhere x
usage "is not a whole number of bytes" solve --capacity 1.5K x
usage "--capacity: 9223372036854775808 bytes is out of range: give 0 to 4194304T" solve --capacity 9223372036854775808 x
usage "out of range" solve --capacity 8388608T x
usage "out of range" solve --capacity 99999999999T x
usage "is not a whole number of bytes" solve --capacity 99999999999999999999X x
usage "is not a whole number of bytes" solve --capacity 1TT x
usage "is not a whole number of bytes" solve --capacity -5 x
usage "out of range" solve --align 0 x
usage "out of range" solve --threads -1 x
usage "is not an integer" solve --threads two x
usage "is not a time" solve --time-limit 10d x
usage "is not a time" solve --time-limit 1.2345s x
usage "is not a percentage" solve --gap 0.01 x
usage "--gap: 101% is out of range: give 0% to 100%" solve --gap 101% x
usage "--memory-limit: 5 bytes is out of range: give 1M to 1024T" solve --memory-limit 5 x
usage "has not the form NAME=N" solve --dim batch x
usage "is given twice" solve --dim a=1 --dim a=2 x
usage "has not the form INPUT=" solve --shape input x
usage "INPUT=scalar for a shape without dimensions" solve --shape input= x
usage "is not an integer" solve --shape input=1xx3 x
usage "has not the form ID=POOL" solve --pin-space a x
usage "has not the form A,B,C" solve --score-weights 1,2 x
usage "out of range" solve --score-weights -9223372036854775808,0,0 x
usage "is not an integer of 64 bits" solve --score-weights 9223372036854775808,0,0 x
usage "list: 'nothing' is unknown" list nothing
usage "ends in .svg or .html" solve --plot x.png x
usage "--generate needs" --generate nothing

expect 2 "$MEMPLAN"
empty out
has err "Usage: memplan"

# Everything after -- is a file; sizes and times in all their forms.
write_short s.csv
expect 0 "$MEMPLAN" solve -- s.csv
for size in 13 13B 1K 1k 2M 2MiB 1G 1T; do
  expect 0 "$MEMPLAN" solve --capacity=$size s.csv
done
for time in 0 500ms 0.5s 5 1m 1h; do
  expect 0 "$MEMPLAN" solve --time-limit "$time" s.csv
done

expect 0 "$MEMPLAN" --generate man
cp out memplan.1
has out ".TH MEMPLAN 1"
for option in threads capacity plot keep-going; do
  has out "\\-\\-$(echo $option | sed 's/-/\\-/g')"
done
if command -v groff >/dev/null; then
  expect 0 groff -man -Tutf8 -ww -z memplan.1
  empty err
fi

expect 0 "$MEMPLAN" --generate bash-completion
cp out memplan.bash
if command -v bash >/dev/null; then
  complete_words() { # words; completes the last one
    bash -c '. ./memplan.bash; shift 0; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _memplan 2>/dev/null; printf "%s\n" "${COMPREPLY[@]}"' bash "$@" >out
  }
  complete_words memplan so
  has out solve
  complete_words memplan solve --thr
  has out --threads
  lacks out --capacity
  complete_words memplan bound --pl
  lacks out --plot
  complete_words memplan solve --order gre
  has out greedy-peak
  complete_words memplan solve --io = ext
  has out external
  complete_words memplan solve s.c
  has out s.csv
  complete_words memplan list me
  has out methods
  complete_words memplan gen ga
  has out gap
  cp s.csv 'a file.csv'
  complete_words memplan solve 'a '
  has out 'a file.csv'
  lines out 1
fi
finish
