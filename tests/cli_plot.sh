#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures from the command: well-formed, the same twice, escaped, and small for many buffers.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

well_formed() {
  if command -v xmllint >/dev/null; then
    expect 0 xmllint --noout "$1"
  elif command -v python3 >/dev/null; then
    expect 0 python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"
  fi
}

for model in training_step.json nasnet_cells.json mobilenet_like.onnx; do
  "$MEMPLAN" solve -q --plot one.svg "$examples/$model"
  "$MEMPLAN" solve -q --threads 1 --plot two.svg "$examples/$model"
  cmp -s one.svg two.svg || fail "two figures of $model differ"
  well_formed one.svg
  has one.svg "$model</title>"
  has one.svg ">step</text>"
  "$MEMPLAN" solve -q --plot one.html "$examples/$model"
  has one.html '<script type="application/json" id="data">{"first":0,'
  lacks one.html "http"
done

printf 'id,lower,upper,size\n"a<b>&""c,\047</script>",0,3,5\nplain,1,2,7\n' >escape.csv
expect 0 "$MEMPLAN" solve -q --plot escape.svg escape.csv
well_formed escape.svg
has escape.svg 'a&lt;b&gt;&amp;&quot;c,&#39;&lt;/script&gt;'
expect 0 "$MEMPLAN" solve -q --plot escape.html escape.csv
[ "$(grep -c '</script>' escape.html)" -eq 2 ] || fail "an id ends the script of the page"

# The capacity, with its line unless it is far away.
expect 0 "$MEMPLAN" solve -q --capacity 15 --plot near.svg escape.csv
has near.svg ', capacity 15 B: fits</text>'
has near.svg '>capacity 15 B</text>'
expect 0 "$MEMPLAN" solve -q --capacity 1M --plot far.svg escape.csv
has far.svg ', capacity 1 MiB: fits</text>'
lacks far.svg '>capacity 1 MiB</text>'
expect 30 "$MEMPLAN" solve -q --place naive --capacity 15M --plot over.svg "$examples/training_step.json"
has over.svg 'capacity 15 MiB: does not fit</text>'
has over.svg '>capacity 15 MiB</text>'
printf 'id,lower,upper,size\n' >none.csv
expect 0 "$MEMPLAN" solve -q --plot none.svg none.csv
well_formed none.svg
printf '{"format":"memplan-instance","version":1,"buffers":[{"id":"a","bytes":4,"live":[[0,3],[7,9]],"pools":["s"]},{"id":"b","bytes":9,"live":[[2,8]],"pools":["d"]}],"pools":[{"id":"s","capacity":8},{"id":"d"}]}' >pools.json
expect 0 "$MEMPLAN" solve -q --plot pools.svg pools.json
well_formed pools.svg
has pools.svg "offset in s"
has pools.svg "offset in d"

# Conflicts instead of lifetimes: columns of buffers, and neither times nor a load.
printf 'id,size\nx,6\ny,5\nz,4\nw,2\n' >bare.csv
printf 'first,second\nx,y\ny,z\nx,z\nz,w\n' >pairs.csv
expect 0 "$MEMPLAN" solve -q --conflicts pairs.csv --plot bare.svg bare.csv
well_formed bare.svg
has bare.svg "no lifetimes: buffers side by side</text>"
lacks bare.svg ">load"
lacks bare.svg ">time</text>"
[ "$(grep -c '<rect class="q. s"' bare.svg)" = 4 ] || fail "not every buffer without lifetime is drawn"
expect 0 "$MEMPLAN" solve -q --conflicts pairs.csv --plot bare.html bare.csv
has bare.html '"columns":true'
has escape.html '"columns":false'

awk 'BEGIN { print "id,lower,upper,size"; x = 7
  for (i = 0; i < 30000; i++) { x = (x * 1103515245 + 12345) % 2147483648; s = int(x / 65536) % 20000
    x = (x * 1103515245 + 12345) % 2147483648; l = 1 + int(x / 65536) % 200
    x = (x * 1103515245 + 12345) % 2147483648; print "b" i "," s "," s + l "," 64 * (1 + int(x / 65536) % 4000) } }' >many.csv
"$MEMPLAN" solve -q --place first-fit-size --plot many.svg --threads 1 many.csv
[ "$(wc -c <many.svg)" -lt 5000000 ] || fail "the figure of 30,000 buffers has $(wc -c <many.svg) bytes"
well_formed many.svg
finish
