#!/bin/sh
# Creates the tables with cbt; a table that is there already ends it: sh tables.cbt.sh
set -eu
: "${PROJECT:=p}"
: "${INSTANCE:=i}"
cbt() { command cbt -project "$PROJECT" -instance "$INSTANCE" "$@"; }

# events: Visit
cbt createtable events 'splits=01#,02#,03#,04#,05#,06#,07#,08#,09#,10#,11#,12#,13#,14#,15#'
cbt createfamily events e
cbt setgcpolicy events e maxversions=1

# kinds: EveryKind
cbt createtable kinds
cbt createfamily kinds f

# kinds-ordered: EveryOrderedKind
cbt createtable kinds-ordered splits=1,2,3
cbt createfamily kinds-ordered at
cbt createfamily kinds-ordered f

# shop: Order, User
cbt createtable shop
cbt createfamily shop d
cbt setgcpolicy shop d '(maxversions=1 || (maxage=10h && maxversions=3) || maxage=90d)'
cbt createfamily shop e
cbt setgcpolicy shop e '(maxversions=2 && maxage=1500ms)'
cbt createfamily shop f
cbt createfamily shop peak:never:intmax

# telemetry: Reading
cbt createtable telemetry
cbt createfamily telemetry hits:never:intsum
cbt setgcpolicy telemetry hits maxversions=1
cbt createfamily telemetry m
cbt setgcpolicy telemetry m maxversions=1
cbt createfamily telemetry s
cbt setgcpolicy telemetry s '(maxage=30d || maxversions=10)'
cbt createfamily telemetry tags
cbt setgcpolicy telemetry tags maxage=36h

# totals: Total
cbt createtable totals
cbt createfamily totals total:never:intsum
