#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SIGINT and SIGTERM: the incumbent is written, exit code 130.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

# await SECONDS CONDITION...: until the condition holds; false: it does not in so long.
await() {
  tries=$(($1 * 10))
  shift
  until "$@"; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    sleep 0.1
  done
}

# Has the process its handlers, and does it wait for something, now and a moment later? A machine that does not tell is
# given a second.
waits() {
  if [ ! -r "/proc/$1/status" ]; then
    kill -0 "$1" 2>/dev/null && sleep 1
    return 0
  fi
  for look in 1 2; do
    sleep 0.1
    caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
    grep -q '^State:[[:space:]]*S' "/proc/$1/status" 2>/dev/null || return 1
    case $((0x${caught:-0} & 0x4002)) in
    16386) ;; # SIGINT and SIGTERM
    *) return 1 ;;
    esac
  done
}

awk 'BEGIN { print "id,lower,upper,size"; x = 7
  for (i = 0; i < 40000; i++) { x = (x * 1103515245 + 12345) % 2147483648; s = int(x / 65536) % 30000
    x = (x * 1103515245 + 12345) % 2147483648; l = 1 + int(x / 65536) % 900
    x = (x * 1103515245 + 12345) % 2147483648; print "b" i "," s "," s + l "," 64 * (1 + int(x / 65536) % 4000) } }' >many.csv
head -200 many.csv >short.csv
# Several names for one file that takes its time make a batch that takes long enough on any machine.
for i in 1 2 3 4 5; do
  ln many.csv "many$i.csv"
done
# One file: what has been found is written.
has_incumbent() { grep -q '%' err; }
env --default-signal=INT "$MEMPLAN" solve --threads 1 --format json -v -o many.plan.json many.csv >out 2>err &
pid=$!
await 120 has_incumbent || fail "no incumbent in two minutes"
kill -s INT $pid
wait $pid
code=$?
[ $code -eq 130 ] || fail "an interrupted search: exit code $code"
has out '"stop_reason":"interrupted"'
expect 0 "$MEMPLAN" verify many.csv many.plan.json

# What fails has failed, interrupted or not: the message and the exit code say the same.
mkdir gone
: >err
env --default-signal=INT "$MEMPLAN" solve --threads 1 --format json -v -o gone/plan.json many.csv >out 2>err &
pid=$!
await 120 has_incumbent || fail "no incumbent in two minutes"
rmdir gone
kill -s INT $pid
wait $pid
code=$?
[ $code -eq 5 ] || fail "an interrupted search whose plan cannot be written: exit code $code"
has err "gone/plan.json"

# Of a bench the lines that are written are counted, not the run that was interrupted.
write_abc abc.csv
has_line() { [ -s part.jsonl ]; }
env --default-signal=INT "$MEMPLAN" bench --place optimal --threads 1 -o part.jsonl abc.csv many.csv >out 2>err &
pid=$!
await 120 has_line || fail "no line in two minutes"
sleep 1
kill -s INT $pid
wait $pid
[ $? -eq 130 ] || fail "an interrupted bench does not say so"
lines part.jsonl 1
has err "1 runs made"

# A batch: what was written stays.
has_plans() { ls plans 2>/dev/null | grep -q plan.json; }
for signal in INT TERM; do
  rm -rf plans
  # A shell without job control starts background commands with SIGINT ignored; env gives it back.
  env --default-signal=INT "$MEMPLAN" solve --threads 1 --format json -o plans/ short.csv many?.csv >out 2>err &
  pid=$!
  await 60 has_plans || fail "SIG$signal: no plan in a minute"
  sleep 0.2
  kill -s $signal $pid
  wait $pid
  code=$?
  [ $code -eq 130 ] || fail "SIG$signal: exit code $code"
  grep -v 'csv: interrupted before a plan was written$' err >others # while the next file is read
  empty others
  for plan in plans/*; do
    expect 0 "$MEMPLAN" verify "$(basename "$plan" .plan.json)" "$plan"
  done
  [ -z "$(find . -name '.memplan*')" ] || fail "SIG$signal: a temporary file remains"
done

# The thread sanitizer's runtime holds a signal back until the blocked call has returned, which here it never does.
if [ -n "${MEMPLAN_THREAD_SANITIZER:-}" ]; then
  finish
fi

# An order search: what it has found is placed, with reuse, and written, whatever placement was asked for.
if [ -n "${MEMPLAN_DATA:-}" ]; then
  for graph in "$MEMPLAN_DATA"/order/random_layered_n1000*.json; do
    break
  done
  has_orders() { grep -q '^order' err; }
  for place in first-fit-size optimal; do
    rm -f order.plan.json
    env --default-signal=INT "$MEMPLAN" solve --order optimal --place $place --threads 1 --format json -v \
      -o order.plan.json "$graph" >out 2>err &
    pid=$!
    await 60 has_orders || fail "order search, $place: nothing found in a minute"
    kill -s INT $pid
    wait $pid
    code=$?
    [ $code -eq 130 ] || fail "order search: exit code $code"
    peak=$(sed -n 's/.*"peak":\([0-9]*\),.*/\1/p' out)
    [ "${peak:-9999999}" -lt 1000000 ] || fail "order search, $place: a peak of $peak after an interrupt"
    [ -s order.plan.json ] || fail "order search, $place: no plan after an interrupt"
    expect 0 "$MEMPLAN" verify "$graph" order.plan.json
  done
else
  echo "MEMPLAN_DATA is not set: interrupts of an order search are not tested"
fi

# Where nothing can be lost, the first signal ends every command at once: while it waits for input, and while nobody
# takes its output.
mkfifo never
signalled() { # signal arguments: the command waits, gets the signal, and has to end with 130, silently but for $says
  signal=$1
  shift
  env --default-signal=INT "$MEMPLAN" "$@" >blocked 2>err &
  pid=$!
  await 60 waits $pid || fail "SIG$signal: it does not wait: $*"
  kill -s "$signal" $pid
  wait $pid
  code=$?
  [ $code -eq 130 ] || fail "SIG$signal: exit code $code: $*"
  if [ -n "$says" ]; then
    has err "$says"
    lines err 1
  else
    empty err
  fi
}
mkfifo blocked
exec 8<>never 9<>blocked
for signal in INT TERM; do
  says="never: interrupted before a plan was written"
  signalled $signal solve never
  signalled $signal solve -q -o never.plan.json never
  says=
  for command in info bound verify bench table; do
    signalled $signal $command never
  done
  signalled $signal convert never --to instance-json
  signalled $signal verify many.csv never
done
# The pipe is full: standard output blocks.
for signal in INT; do
  for command in info bound "convert --to instance-json" "solve -o -" "bench --place naive"; do
    yes | dd bs=4096 count=16 of=blocked oflag=nonblock 2>/dev/null
    # shellcheck disable=SC2086
    signalled $signal $command short.csv
    dd bs=65536 count=1 if=blocked iflag=nonblock of=/dev/null 2>/dev/null
  done
done
exec 8<&- 9<&-
finish
