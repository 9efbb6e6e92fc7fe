#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pipes, full disks, read-only places, terminals: data on standard output, messages on standard error, exit 5 where
# something could not be written.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"
write_abc abc.csv

# No terminal: no progress, no colour, no message.
expect 0 "$MEMPLAN" solve abc.csv abc.csv
empty err
expect 2 "$MEMPLAN" solve missing.csv
lacks err "$(printf '\033')"

# A reader that goes away: no message, exit 5, and no endless work.
i=0
while [ $i -lt 400 ]; do
  cp abc.csv "copy$i.csv"
  i=$((i + 1))
done
{
  "$MEMPLAN" solve --format json copy*.csv 2>pipe_err
  echo $? >pipe_code
} | head -1 >out
lines out 1
[ "$(cat pipe_code)" -eq 5 ] || fail "a closed pipe gives exit code $(cat pipe_code)"
empty pipe_err
{
  "$MEMPLAN" list options 2>pipe_err
  echo $? >pipe_code
} | true
case "$(cat pipe_code)" in
0 | 5) ;;
*) fail "a pipe closed at once gives exit code $(cat pipe_code)" ;;
esac
empty pipe_err

if [ -w /dev/full ]; then
  full() {
    "$MEMPLAN" "$@" >/dev/full 2>err
    code=$?
    [ $code -eq 5 ] || fail "full disk: exit code $code: $*"
    has err "memplan: error: "
    has err "No space left"
  }
  full solve abc.csv
  full solve -o - abc.csv
  full solve --format json abc.csv abc.csv
  full info abc.csv
  full bound abc.csv
  full list methods
  full convert abc.csv --to instance-json
  full bench abc.csv
  full --help
  full solve --help
  full --generate man
  expect 5 "$MEMPLAN" solve -q -o /dev/full abc.csv
  expect 5 "$MEMPLAN" bench -o /dev/full abc.csv
fi

# A place that cannot be written: the old file stays, nothing half-written remains.
expect 5 "$MEMPLAN" solve -q -o nowhere/plan.json abc.csv
has err "nowhere/plan.json"
expect 5 "$MEMPLAN" info -o nowhere/info.txt abc.csv
expect 5 "$MEMPLAN" solve -q --plot nowhere/plot.svg abc.csv
mkdir locked
echo old >locked/plan.json
chmod 500 locked
chmod 400 locked/plan.json
if ! { : >locked/probe; } 2>/dev/null; then
  expect 5 "$MEMPLAN" solve -q -o locked/plan.json abc.csv
  [ "$(cat locked/plan.json)" = old ] || fail "a read-only plan was changed"
fi
chmod 700 locked
[ -z "$(find . -name '.memplan*')" ] || fail "a temporary file remains"

# A terminal on standard error: colour unless NO_COLOR, progress unless -q or --no-progress.
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
  terminal() {
    TERM=xterm script -qec "$1" /dev/null </dev/null >typescript 2>&1
  }
  terminal "$MEMPLAN solve missing.csv"
  has typescript "$(printf '\033')[1;31merror"
  terminal "NO_COLOR=1 $MEMPLAN solve missing.csv"
  lacks typescript "$(printf '\033')[1;31m"
  terminal "$MEMPLAN solve abc.csv copy1.csv >/dev/null"
  has typescript "[2/2] copy1.csv"
  terminal "$MEMPLAN solve --no-progress abc.csv copy1.csv >/dev/null"
  lacks typescript "[2/2]"
  terminal "$MEMPLAN solve -q abc.csv copy1.csv"
  lacks typescript "[2/2]"
fi

# The log of -v: its columns, incumbents that never get worse.
cp "$examples/training_step.json" .
expect 10 "$MEMPLAN" solve -v -o plan.json training_step.json
has err "source"
has err "best"
has err "bound"
awk 'NR > 1 && $2 + 0 > 0 { if (last != "" && $2 + 0 > last + 0) exit 1; last = $2 }' err || fail "an incumbent got worse"
finish
