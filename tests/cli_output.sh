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

# A reader that goes away: no message, the end by SIGPIPE (141 for a shell), and no endless work; also if the parent
# ignores the signal.
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
[ "$(cat pipe_code)" -eq 141 ] || fail "a closed pipe gives exit code $(cat pipe_code)"
empty pipe_err
{
  "$MEMPLAN" list options 2>pipe_err
  echo $? >pipe_code
} | true
case "$(cat pipe_code)" in
0 | 141) ;;
*) fail "a pipe closed at once gives exit code $(cat pipe_code)" ;;
esac
empty pipe_err
for arguments in "convert abc.csv --to instance-json" "solve -o - abc.csv" "info abc.csv" "--help"; do
  {
    sleep 0.2
    # shellcheck disable=SC2086
    env --ignore-signal=PIPE "$MEMPLAN" $arguments 2>pipe_err
    echo $? >pipe_code
  } | true
  [ "$(cat pipe_code)" -eq 141 ] || fail "a closed pipe gives exit code $(cat pipe_code): $arguments"
  empty pipe_err
done

if [ -w /dev/full ]; then
  full() {
    "$MEMPLAN" "$@" >/dev/full 2>err
    code=$?
    [ $code -eq 5 ] || fail "full disk: exit code $code: $*"
    has err "memplan: error: "
    # of output that fills its last buffer exactly, the reason is gone by the end
    grep -q "No space left\|an earlier write failed" err || fail "full disk: no reason given: $*"
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
expect 5 "$MEMPLAN" solve -q -o left.json --certificate nowhere/x abc.csv
expect 5 "$MEMPLAN" solve -q -o left.json --plot nowhere/x.svg abc.csv
expect 5 "$MEMPLAN" convert abc.csv --to csv -o left.json --conflicts-out nowhere/x
has err "cannot write nowhere/x: No such file or directory; check the path"
expect 5 "$MEMPLAN" solve -q --certificate nowhere/x missing.csv
[ ! -e left.json ] || fail "the first of two files was written though there is no place for the second"
mkdir folder
expect 5 "$MEMPLAN" solve -q -o left.json --certificate folder abc.csv
has err "cannot write folder: Is a directory"
expect 5 "$MEMPLAN" info -o folder abc.csv
if [ -w /dev/full ]; then
  expect 5 "$MEMPLAN" solve -q -o left.json --plot left.svg --certificate /dev/full abc.csv
  expect 5 "$MEMPLAN" convert abc.csv --to csv -o left.json --conflicts-out /dev/full
  [ ! -e left.json ] && [ ! -e left.svg ] || fail "a file was written though another could not be"
fi
expect 0 "$MEMPLAN" solve -q -o all.json --plot all.svg --certificate all.cert abc.csv
[ -s all.json ] && [ -s all.svg ] && [ -s all.cert ] || fail "one of three files is missing"
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

# A limit on the size of files is a failed write. The thread sanitizer's runtime itself ends with a bus error
# under such a limit.
[ -n "${MEMPLAN_THREAD_SANITIZER:-}" ] || (
  ulimit -f 16
  "$MEMPLAN" solve -q -o limited.json "$examples/training_step.json" 2>/dev/null
  echo $? >/dev/fd/3
) 3>&1 | grep -qx 5 || fail "a file size limit does not give exit code 5"
[ -n "${MEMPLAN_THREAD_SANITIZER:-}" ] || (
  ulimit -f 16
  "$MEMPLAN" solve -q --certificate small.cert -o limited.json "$examples/training_step.json" 2>/dev/null
  echo $? >/dev/fd/3
) 3>&1 | grep -qx 5 || fail "a file size limit does not give exit code 5"
[ ! -e small.cert ] || fail "a certificate was written though its plan could not be"
[ ! -e limited.json ] || fail "a file was left in spite of the size limit"
[ -z "$(find . -name '.memplan*')" ] || fail "a temporary file remains"

# No output is an input, under whatever name, and no two are the same: refused before any work.
refused() {
  text=$1
  shift
  cp abc.csv kept.csv
  expect 2 "$MEMPLAN" "$@"
  empty out
  has err "$text"
  lines err 1
  cmp -s abc.csv kept.csv || fail "an input was changed: $*"
}
ln -s abc.csv link.csv
ln abc.csv hard.csv
mkdir sub
cp abc.csv sub/in.csv
"$MEMPLAN" solve -q -o good.json abc.csv
refused "this is the input" solve -o abc.csv abc.csv
refused "this is the input" solve -o ./sub/../abc.csv abc.csv
refused "this is the input" solve -o link.csv abc.csv
refused "this is the input" solve -o abc.csv link.csv
refused "this is the input" solve -o hard.csv abc.csv
refused "this is the input" info -o abc.csv abc.csv
refused "this is the input" bound -o abc.csv abc.csv
refused "this is the input" convert -o abc.csv abc.csv
refused "this is the input" verify -o good.json abc.csv good.json
refused "this is the input" bench -o abc.csv abc.csv
refused "this is the input" bench -o sub/in.csv sub
refused "this is the input" table -o good.json good.json
refused "two outputs" solve -o new.svg --plot new.svg abc.csv
refused "two outputs" solve -o new.svg --plot sub/../new.svg abc.csv
[ ! -e new.svg ] || fail "one of two equal outputs was written"
# A plan is not written under the name of another form.
refused "solve writes the plan there, as JSON: name it NAME.json; \`memplan convert FILE --plan" solve -o new.csv abc.csv
refused "solve writes the plan there, as JSON: name it NAME.json; --plot NAME.svg" solve -o new.svg abc.csv
[ ! -e new.csv ] || fail "a plan was written under the name of a table"
mkdir -p one two
cp abc.csv one/same.csv
cp abc.csv two/same.csv
refused "the plans of one/same.csv and two/same.csv would have one name" solve -o plans/ one/same.csv two/same.csv
expect 0 "$MEMPLAN" solve -q -o - abc.csv
expect 0 "$MEMPLAN" solve -q -o /dev/null /dev/stdin <abc.csv

# Standard input is read once: a second input that is to come from there is refused.
printf 'A,B\n' >pairs.csv
twice() {
  text=$1
  shift
  "$MEMPLAN" "$@" <pairs.csv >out 2>err
  code=$?
  [ $code -eq 2 ] || fail "standard input twice: exit code $code: $*"
  empty out
  has err "$text are both standard input, which can be read only once"
  lines err 1
}
for command in solve info bound bench explain convert verify; do
  twice "- and --conflicts -" $command - --conflicts -
done
twice "- and --conflicts /dev/stdin" solve --conflicts /dev/stdin -
twice "- and --conflicts -" check - good.json --conflicts -
twice "- and -" solve - abc.csv -
twice "- and -" bench - -
twice "- and -" table - -
twice "- and -" verify - -
twice "- and -" check - -
twice "- and --plan -" explain - --plan -
twice "--conflicts - and --plan -" explain abc.csv --conflicts - --plan -
twice "- and --solution -" convert - --solution -
"$MEMPLAN" solve -q --conflicts - abc.csv <pairs.csv || fail "one input from standard input is refused"

# A link to a file that is not there yet is written through.
ln -s sub/made.json dangling.json
expect 0 "$MEMPLAN" solve -q -o dangling.json abc.csv
[ -L dangling.json ] || fail "the link was replaced"
expect 0 "$MEMPLAN" verify -q abc.csv sub/made.json
ln -s loop.json loop.json
expect 5 "$MEMPLAN" solve -q -o loop.json abc.csv

# Whatever the file or its name holds, messages and tables are printable; JSON says it exactly.
printable() {
  if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$1" || LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$1" ||
    LC_ALL=C grep -q "$(printf '\342\200\256')" "$1"; then
    fail "$1 holds control characters"
    cat -v "$1" >&2
  fi
}
bad=$(printf 'A\033[31m\302\233\342\200\256x')
printf 'id,lower,upper,size,offset\n"%s",0,2,8,0\nB,1,3,5,0\n' "$bad" >escape.csv
cp escape.csv "$bad.csv"
for arguments in "solve -v" "info -v" "bound" "verify" "solve --pin" "solve --format md" "solve --capacity 3" \
  "info --format md" "solve --dim $bad=1" "solve --pin-space $bad=none"; do
  # shellcheck disable=SC2086
  "$MEMPLAN" $arguments escape.csv >out 2>err
  printable out
  printable err
done
expect 1 "$MEMPLAN" verify escape.csv
has out "\\x1B[31m\\u009B\\u202Ex"
expect 4 "$MEMPLAN" solve "$bad.csv" missing.csv "$bad.json"
printable out
printable err
expect 2 "$MEMPLAN" solve "$bad.json"
printable err
has err "\\x1B[31m"
expect 0 "$MEMPLAN" info --format json escape.csv
has out '"A\u001b[31m\u009B\u202Ex"'

# What has no end is read up to a limit.
if [ -r /dev/zero ]; then
  expect 2 "$MEMPLAN" solve --from csv /dev/zero
  has err "1 GiB"
  lines err 1
fi

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
expect 0 "$MEMPLAN" solve -v -o plan.json training_step.json
has err "source"
has err "best"
has err "bound"
awk 'NR > 1 && $2 + 0 > 0 { if (last != "" && $2 + 0 > last + 0) exit 1; last = $2 }' err || fail "an incumbent got worse"
finish
