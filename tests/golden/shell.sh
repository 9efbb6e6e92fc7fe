# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of the command: . "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"
# Each test runs in its own empty folder. With MEMPLAN_GOLDEN=update, expected texts are rewritten instead of compared.

set -u
: "${MEMPLAN:?names the command}" "${MEMPLAN_SOURCE_DIR:?names the repository}"
golden=$MEMPLAN_SOURCE_DIR/tests/golden
examples=$MEMPLAN_SOURCE_DIR/instances/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset NO_COLOR
failures=0

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$*" >&2
}

# expect CODE COMMAND...: runs it with its output in ./out and its messages in ./err, and compares the exit code.
expect() {
  expected=$1
  shift
  "$@" >out 2>err
  code=$?
  if [ "$code" -ne "$expected" ]; then
    fail "exit code $code instead of $expected: $*"
    sed 's/^/  out: /' out | head -5 >&2
    sed 's/^/  err: /' err | head -5 >&2
  fi
}

# has FILE TEXT / lacks FILE TEXT: a fixed string in a file.
has() {
  grep -qF -e "$2" "$1" || { fail "'$2' is not in $1:"; head -8 "$1" >&2; }
}

lacks() {
  if grep -qF -e "$2" "$1"; then fail "'$2' is in $1"; fi
}

# empty FILE
empty() {
  [ ! -s "$1" ] || { fail "$1 is not empty:"; head -5 "$1" >&2; }
}

# lines FILE COUNT
lines() {
  count=$(wc -l <"$1")
  [ "$count" -eq "$2" ] || fail "$1 has $count lines instead of $2"
}

# same FILE NAME: equal to tests/golden/NAME, with times left out.
same() {
  sed -e 's/^\(  time  *\)[0-9.]* s$/\1T s/' -e 's/"time_s":[0-9.]*/"time_s":T/' \
    -e 's/^\(  of which  *\).*/\1T/' -e 's/"stages_s":{[^}]*}/"stages_s":T/' "$1" >normal
  if [ "${MEMPLAN_GOLDEN:-}" = update ]; then
    cp normal "$golden/$2"
  elif ! diff -u "$golden/$2" normal >difference; then
    fail "$1 differs from tests/golden/$2:"
    cat difference >&2
  fi
}

finish() {
  [ "$failures" -eq 0 ] || { echo "$failures failures" >&2; exit 1; }
  exit 0
}

# The example of the placement problem's definition, and one that no plan meets in 12 bytes.
write_abc() {
  printf 'id,lower,upper,size\nA,0,3,4194304\nB,1,4,6291456\nC,3,5,4194304\n' >"$1"
}

write_short() {
  printf 'id,lower,upper,size\nA,0,2,8\nB,1,3,5\n' >"$1"
}
