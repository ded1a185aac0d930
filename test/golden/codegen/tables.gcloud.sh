#!/bin/sh
# Creates the tables with gcloud; a table that is there already ends it: sh tables.gcloud.sh
set -eu
: "${PROJECT:?set PROJECT}"
: "${INSTANCE:?set INSTANCE}"
cd "$(dirname "$0")"
cbt() { command cbt -project "$PROJECT" -instance "$INSTANCE" "$@"; }

# events: Visit
gcloud bigtable tables create events --project="$PROJECT" --instance="$INSTANCE" \
  --column-families=e:maxversions=1 \
  --splits='01#,02#,03#,04#,05#,06#,07#,08#,09#,10#,11#,12#,13#,14#,15#' \
  --row-key-schema-definition-file=events.row-key-schema.yaml

# kinds: EveryKind
gcloud bigtable tables create kinds --project="$PROJECT" --instance="$INSTANCE" \
  --column-families=f \
  --row-key-schema-definition-file=kinds.row-key-schema.yaml

# kinds-ordered: EveryOrderedKind
gcloud bigtable tables create kinds-ordered --project="$PROJECT" --instance="$INSTANCE" \
  --column-families=at,f \
  --splits=1,2,3 \
  --row-key-schema-definition-file=kinds-ordered.row-key-schema.yaml

# shop: Order, User
gcloud bigtable tables create shop --project="$PROJECT" --instance="$INSTANCE" \
  --column-families=d,e,f
cbt setgcpolicy shop d '(maxversions=1 || (maxage=10h && maxversions=3) || maxage=90d)'
cbt setgcpolicy shop e '(maxversions=2 && maxage=1500ms)'
cbt createfamily shop peak:never:intmax

# telemetry: Reading
gcloud bigtable tables create telemetry --project="$PROJECT" --instance="$INSTANCE" \
  --column-families='m:maxversions=1,s:maxage=2592000s||maxversions=10,tags:maxage=129600s' \
  --row-key-schema-definition-file=telemetry.row-key-schema.yaml
cbt createfamily telemetry hits:never:intsum
cbt setgcpolicy telemetry hits maxversions=1

# totals: Total
cbt createtable totals
cbt createfamily totals total:never:intsum
gcloud bigtable tables update totals --project="$PROJECT" --instance="$INSTANCE" \
  --row-key-schema-definition-file=totals.row-key-schema.yaml
