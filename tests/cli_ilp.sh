#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Integer programs: as methods, as files for other solvers, and with their solutions.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"

# The smallest graph whose best arena lies above its least order peak.
cat >gap.json <<'END'
{"format": "memplan-graph", "version": 1, "name": "gap",
 "tensors": [{"id": "a/0", "bytes": 2}, {"id": "a 0", "bytes": 2}, {"id": "t2", "bytes": 1}, {"id": "t3", "bytes": 1},
             {"id": "t4", "bytes": 1}, {"id": "t5", "bytes": 2}, {"id": "t6", "bytes": 2, "roles": ["output"]}],
 "ops": [{"id": "o0", "out": ["a/0"]}, {"id": "o1", "in": ["a/0"], "out": ["a 0"]},
         {"id": "o2", "in": ["a 0"], "out": ["t2"]}, {"id": "o3", "in": ["a 0", "t2"], "out": ["t3"]},
         {"id": "o4", "in": ["t2", "t3"], "out": ["t4"]}, {"id": "o5", "in": ["t3", "t4"], "out": ["t5"]},
         {"id": "o6", "in": ["t5"], "out": ["t6"]}]}
END
write_abc abc.csv

# As files. The text is part of the interface: other people's scripts read it.
expect 0 "$MEMPLAN" convert gap.json --to lp --method ilp-place -o gap.lp
same gap.lp ilp_place.lp
expect 0 "$MEMPLAN" convert gap.json -o gap.mps
same gap.mps ilp_joint.mps
expect 0 "$MEMPLAN" convert abc.csv --to lp
has out "Minimize"
has out "above.B.A"
expect 2 "$MEMPLAN" convert gap.json --to lp --method dfs
has err "method 'dfs' is no integer program"
expect 3 "$MEMPLAN" convert abc.csv --to lp --method ilp-joint
has err "lifetimes have no order"

# Solutions: of A and B the first one lies above, then the other way round; C joins them.
printf 'peak 10485760\nabove.B.A 0\nabove.C.B 0\n' >down.sol
expect 0 "$MEMPLAN" convert abc.csv --solution down.sol -o abc.plan.json
expect 0 "$MEMPLAN" verify abc.csv abc.plan.json
has out "peak 10,485,760 bytes"
printf '# Columns 3\nabove.B.A 1\n' >up.sol
expect 0 "$MEMPLAN" convert abc.csv --solution up.sol --to plan-json
has out '"peak": 10485760'
cp out up.json
printf 'above.B.A 1e15\n' >wide.sol
expect 0 "$MEMPLAN" convert abc.csv --solution wide.sol --to plan-json
cmp -s out up.json || fail "a value beyond its bounds is not taken for the bound"
printf 'nothing here\n' >none.sol
expect 2 "$MEMPLAN" convert abc.csv --solution none.sol --to plan-json
has err "none.sol: no column of the program 'ilp-place' is named"
cat >pretty.sol <<'PRETTY'
Columns
    Index Status        Lower        Upper       Primal         Dual  Type        Name
        0 FX                0            1            0               Integer     above.B.A
        1 FX                0            1            1               Integer     above.C.B
PRETTY
expect 2 "$MEMPLAN" convert abc.csv --solution pretty.sol --to plan-json
has err "pretty.sol: line 2: a table in which names stand behind the numbers"
expect 2 "$MEMPLAN" convert abc.csv --solution missing.sol --to plan-json
expect 2 "$MEMPLAN" convert gap.json --solution down.sol --to graph-json

# As methods.
expect 0 "$MEMPLAN" list methods --format csv
if grep -q 'has no GLPK' out; then
  expect 3 "$MEMPLAN" solve gap.json --method ilp-joint
  has err "declines this problem: this build has no GLPK"
  expect 3 "$MEMPLAN" solve gap.json --method ilp-order
  expect 3 "$MEMPLAN" solve abc.csv --method ilp-place
  finish
fi
expect 0 "$MEMPLAN" gen gap --n 401 -o many.json
for method in ilp-order ilp-order-steps ilp-joint ilp-joint-steps joint-engine; do
  expect 3 "$MEMPLAN" solve -v many.json --method $method
  has err "method '$method' declines this problem: it has 401 operators"
  lacks err "%" # in each line of the log: no heuristic has run before
done
for method in ilp-joint ilp-joint-steps ilp-place; do
  expect 10 "$MEMPLAN" solve gap.json --method $method --format json
  has out '"peak":5,"lower_bound":4'
  has out '"floating_bound":5'
done
expect 10 "$MEMPLAN" solve gap.json --method ilp-joint
has out "ILP bound       5 bytes, claimed in floating point, which proves nothing"
expect 10 "$MEMPLAN" solve gap.json --method ilp-order -o gap.plan.json
expect 0 "$MEMPLAN" verify gap.json gap.plan.json
expect 0 "$MEMPLAN" solve abc.csv --place ilp-place
expect 2 "$MEMPLAN" solve gap.json --method ilp-place --place skyline
has err "ask for two methods"
expect 3 "$MEMPLAN" solve gap.json --method ilp-joint --order given
expect 3 "$MEMPLAN" solve abc.csv --method ilp-joint
expect 0 "$MEMPLAN" bench gap.json --method ilp-joint
has out '"order":"ilp-joint","place":"ilp-joint"'
finish
