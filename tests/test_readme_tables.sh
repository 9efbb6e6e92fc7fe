#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The measurements that README.md shows are those of eval/results/. Skipped without Python 3.10.
set -u
tables=$MEMPLAN_SOURCE_DIR/eval/readme_tables.py
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || { echo "no Python 3.10" && exit 77; }
if [ "${MEMPLAN_GOLDEN:-}" = update ]; then
  python3 "$tables"
else
  python3 "$tables" --check
fi
