#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SIGINT and SIGTERM: the incumbent is written, exit code 130.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

awk 'BEGIN { print "id,lower,upper,size"; x = 7
  for (i = 0; i < 40000; i++) { x = (x * 1103515245 + 12345) % 2147483648; s = int(x / 65536) % 30000
    x = (x * 1103515245 + 12345) % 2147483648; l = 1 + int(x / 65536) % 900
    x = (x * 1103515245 + 12345) % 2147483648; print "b" i "," s "," s + l "," 64 * (1 + int(x / 65536) % 4000) } }' >many.csv
head -200 many.csv >short.csv
# Several names for one file make a batch that takes long enough on any machine.
i=0
while [ $i -lt 200 ]; do
  ln many.csv "many$i.csv"
  i=$((i + 1))
done
for signal in INT TERM; do
  rm -rf plans
  # A shell without job control starts background commands with SIGINT ignored; env gives it back.
  env --default-signal=INT "$MEMPLAN" solve --threads 1 --format json -o plans/ many?*.csv >out 2>err &
  pid=$!
  waited=0
  while [ "$(ls plans 2>/dev/null | grep -c plan.json)" -lt 1 ] && [ $waited -lt 600 ] && kill -0 $pid 2>/dev/null; do
    sleep 0.1
    waited=$((waited + 1))
  done
  sleep 0.2
  kill -s $signal $pid
  wait $pid
  code=$?
  [ $code -eq 130 ] || fail "SIG$signal: exit code $code"
  empty err
  for plan in plans/*; do
    expect 0 "$MEMPLAN" verify "$(basename "$plan" .plan.json)" "$plan"
    break
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
  for place in first-fit-size optimal; do
    rm -f order.plan.json
    env --default-signal=INT "$MEMPLAN" solve --order optimal --place $place --threads 1 --format json \
      -o order.plan.json "$graph" >out 2>err &
    pid=$!
    sleep 1.5
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
signalled() { # signal arguments: the command waits, gets the signal, and has to end with 130, silently
  signal=$1
  shift
  env --default-signal=INT "$MEMPLAN" "$@" >blocked 2>err &
  pid=$!
  sleep 0.2
  kill -s "$signal" $pid
  wait $pid
  code=$?
  [ $code -eq 130 ] || fail "SIG$signal: exit code $code: $*"
  empty err
}
mkfifo blocked
exec 8<>never 9<>blocked
for signal in INT TERM; do
  for command in solve info bound verify bench table; do
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
