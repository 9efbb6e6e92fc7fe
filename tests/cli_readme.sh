#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What README.md and docs/reference.md show is what the command prints: blocks between `<!-- run: memplan … -->` or
# `<!-- table: memplan … -->` and `<!-- end -->` are made anew and compared, times left out. The same holds for the figure.
. "$MEMPLAN_SOURCE_DIR/tests/golden/shell.sh"
readme=$MEMPLAN_SOURCE_DIR/README.md
reference=$MEMPLAN_SOURCE_DIR/docs/reference.md
figure=eval/figures/nasnet_cells.svg

# show ARGUMENTS: what the command prints, run in the repository.
show() {
  (cd "$MEMPLAN_SOURCE_DIR" && "$MEMPLAN" "$@")
}

# A build without GLPK says so in its rows of the integer programs.
without_times() {
  grep -v '^| ilp-' "$1" | sed -e 's/^\(  time  *\)[0-9.]* s$/\1T s/' -e 's/  *[0-9][0-9]*\.[0-9][0-9][0-9]$//'
}

# page FILE LEAST: the file has at least so many blocks, and each is what the command prints.
page() {
  made=0
  skipping=no
  while IFS= read -r line; do
    case $line in
    '<!-- run: memplan '* | '<!-- table: memplan '*)
      printf '%s\n' "$line"
      arguments=${line#*: memplan }
      arguments=${arguments%' -->'}
      case $line in '<!-- run:'*) printf '```text\n$ memplan %s\n' "$arguments" ;; esac
      # Words without quotes: that is all these pages need.
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
  done <"$1" >rendered
  [ $made -ge "$2" ] || fail "$1 has only $made blocks that are made by the command"
  [ "${MEMPLAN_GOLDEN:-}" != update ] || cp rendered "$1"
  without_times "$1" >shown
  without_times rendered >printed
  diff -u shown printed >difference || {
    fail "$1 does not show what the command prints:"
    cat difference >&2
  }
}

page "$readme" 4
page "$reference" 3

# Links within the repository lead somewhere.
for page in README.md docs/reference.md; do
  for target in $(sed -n 's/[^(]*](\([a-z][a-z_\/.A-Z]*\)[)#]/\n\1\n/gp' "$MEMPLAN_SOURCE_DIR/$page" | grep '^[a-z][a-z_/.A-Z]*$' | grep /); do
    [ -e "$MEMPLAN_SOURCE_DIR/$(dirname "$page")/$target" ] || fail "$page links to $target, which is not there"
  done
done

"$MEMPLAN" solve -q --plot figure.svg "$examples/nasnet_cells.json"
if [ "${MEMPLAN_GOLDEN:-}" = update ]; then
  mkdir -p "$MEMPLAN_SOURCE_DIR/eval/figures"
  cp figure.svg "$MEMPLAN_SOURCE_DIR/$figure"
fi
cmp -s figure.svg "$MEMPLAN_SOURCE_DIR/$figure" || fail "$figure is not what memplan solve --plot draws"
has "$readme" "($figure)"
finish
