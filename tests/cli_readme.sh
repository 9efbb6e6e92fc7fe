#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What README.md shows is what the command prints: blocks between `<!-- run: memplan … -->` or `<!-- table: memplan … -->`
# and `<!-- end -->` are made anew and compared, times left out. The same holds for its figure.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"
readme=$MEMPLAN_SOURCE_DIR/README.md
figure=eval/figures/nasnet_cells.svg

# show ARGUMENTS: what the command prints, run in the repository.
show() {
  (cd "$MEMPLAN_SOURCE_DIR" && "$MEMPLAN" "$@")
}

made=0
skipping=no
while IFS= read -r line; do
  case $line in
  '<!-- run: memplan '* | '<!-- table: memplan '*)
    printf '%s\n' "$line"
    arguments=${line#*: memplan }
    arguments=${arguments%' -->'}
    case $line in '<!-- run:'*) printf '```text\n$ memplan %s\n' "$arguments" ;; esac
    # Words without quotes: that is all README.md needs.
    # shellcheck disable=SC2086
    show $arguments 2>&1
    case $line in '<!-- run:'*) printf '```\n' ;; esac
    skipping=yes
    made=$((made + 1))
    ;;
  '<!-- end -->')
    printf '%s\n' "$line"
    skipping=no
    ;;
  *)
    [ $skipping = yes ] || printf '%s\n' "$line"
    ;;
  esac
done <"$readme" >rendered
[ $made -ge 6 ] || fail "README.md has only $made blocks that are made by the command"

# A build without GLPK says so in its rows of the integer programs.
without_times() {
  grep -v '^| ilp-' "$1" | sed -e 's/^\(  time  *\)[0-9.]* s$/\1T s/' -e 's/  *[0-9][0-9]*\.[0-9][0-9][0-9]$//'
}

"$MEMPLAN" solve -q --plot figure.svg "$examples/nasnet_cells.json"
if [ "${MEMPLAN_GOLDEN:-}" = update ]; then
  cp rendered "$readme"
  mkdir -p "$MEMPLAN_SOURCE_DIR/eval/figures"
  cp figure.svg "$MEMPLAN_SOURCE_DIR/$figure"
fi
without_times "$readme" >shown
without_times rendered >printed
diff -u shown printed >difference || {
  fail "README.md does not show what the command prints:"
  cat difference >&2
}
cmp -s figure.svg "$MEMPLAN_SOURCE_DIR/$figure" || fail "$figure is not what memplan solve --plot draws"
has "$readme" "($figure)"
finish
