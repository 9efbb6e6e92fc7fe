#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SIGINT and SIGTERM: the incumbent is written, exit code 130.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

awk 'BEGIN { print "id,lower,upper,size"; x = 7
  for (i = 0; i < 40000; i++) { x = (x * 1103515245 + 12345) % 2147483648; s = int(x / 65536) % 30000
    x = (x * 1103515245 + 12345) % 2147483648; l = 1 + int(x / 65536) % 900
    x = (x * 1103515245 + 12345) % 2147483648; print "b" i "," s "," s + l "," 64 * (1 + int(x / 65536) % 4000) } }' >many.csv
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
finish
