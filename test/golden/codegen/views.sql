-- Rows of Visit with their values, for GoogleSQL of Bigtable:
--   gcloud bigtable logical-views create Visit --instance=INSTANCE --query="$(cat Visit.sql)"
SELECT
  _key,
  ARRAY_TO_STRING(ARRAY_TRANSFORM(REGEXP_EXTRACT_ALL(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(2)], r'[$][0-9A-F]{2}|[^$]+'), p -> IF(STARTS_WITH(p, '$'), CODE_POINTS_TO_STRING([CAST(CONCAT('0x', SUBSTR(p, 2)) AS INT64)]), p)), '') AS `source`,
  SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(3)] AS INT64) AS `e`,
  `e`['bounced'] = b'\x01' AS `bounced`
FROM `events`
WHERE REGEXP_CONTAINS(SAFE_CAST(_key AS STRING), r'(?s)^[0-9]{2}#visit\x2420page#[^#]*#[0-9]{5}$')

-- Rows of EveryKind with their values, for GoogleSQL of Bigtable:
--   gcloud bigtable logical-views create EveryKind --instance=INSTANCE --query="$(cat EveryKind.sql)"
SELECT
  _key,
  ARRAY_TO_STRING(ARRAY_TRANSFORM(REGEXP_EXTRACT_ALL(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(0)], r'[$][0-9A-F]{2}|[^$]+'), p -> IF(STARTS_WITH(p, '$'), CODE_POINTS_TO_STRING([CAST(CONCAT('0x', SUBSTR(p, 2)) AS INT64)]), p)), '') AS `string`,
  IF(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(1)] = '$', '', ARRAY_TO_STRING(ARRAY_TRANSFORM(REGEXP_EXTRACT_ALL(NULLIF(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(1)], ''), r'[$][0-9A-F]{2}|[^$]+'), p -> IF(STARTS_WITH(p, '$'), CODE_POINTS_TO_STRING([CAST(CONCAT('0x', SUBSTR(p, 2)) AS INT64)]), p)), '')) AS `nullable`,
  IF(STARTS_WITH(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(2)], '-'), -1 - (99999 - SAFE_CAST(SUBSTR(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(2)], 2) AS INT64)), SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(2)] AS INT64)) AS `int`,
  IF(STARTS_WITH(NULLIF(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(3)], '~'), ':'), -1 - SAFE_CAST(SUBSTR(NULLIF(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(3)], '~'), 2) AS INT64), 99999 - SAFE_CAST(NULLIF(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(3)], '~') AS INT64)) AS `intDesc`,
  SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(4)] AS INT64) AS `uint`,
  9999999999999999 - SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(5)] AS INT64) AS `uintDesc`,
  IF(STARTS_WITH(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(6)], ':'), -1 - SAFE_CAST(SUBSTR(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(6)], 2) AS INT64), SAFE_CAST(TRANSLATE(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(6)], '0123456789', '9876543210') AS INT64)) AS `wide`,  -- values beyond INT64 read as NULL
  IF(STARTS_WITH(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(7)], '-'), CONCAT('-', SUBSTR(TRANSLATE(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(7)], '0123456789', '9876543210'), 4)), SUBSTR(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(7)], 3)) AS `big`,  -- an integer of up to 99 digits, as text
  IF(STARTS_WITH(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(8)], '-'), -1 - (SAFE_CAST(TRANSLATE(SUBSTR(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(8)], 2), '0123456789', '9876543210') AS INT64)), SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(8)] AS INT64)) AS `bigFixed`,  -- values beyond INT64 read as NULL
  TO_FLOAT64(IF(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(9)] >= '8', FROM_HEX(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(9)]) ^ b'\x80\x00\x00\x00\x00\x00\x00\x00', ~FROM_HEX(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(9)]))) AS `float`,
  TO_FLOAT64(IF(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(10)] < '8', ~FROM_HEX(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(10)]) ^ b'\x80\x00\x00\x00\x00\x00\x00\x00', FROM_HEX(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(10)]))) AS `floatDesc`,
  CONCAT(IF(IF(STARTS_WITH(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(11)], '-'), -1 - (999999999999 - SAFE_CAST(SUBSTR(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(11)], 2) AS INT64)), SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(11)] AS INT64)) < 0, '-', ''), CAST(DIV(ABS(IF(STARTS_WITH(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(11)], '-'), -1 - (999999999999 - SAFE_CAST(SUBSTR(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(11)], 2) AS INT64)), SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(11)] AS INT64))), 100) AS STRING), '.', LPAD(CAST(MOD(ABS(IF(STARTS_WITH(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(11)], '-'), -1 - (999999999999 - SAFE_CAST(SUBSTR(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(11)], 2) AS INT64)), SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(11)] AS INT64))), 100) AS STRING), 2, '0')) AS `decimal`,  -- decimal text; the key orders it as a number
  SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(12)] = '8' AS `boolDesc`,
  SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(13)] AS `name`,
  ['NEW', 'DONE'][SAFE_OFFSET(99 - SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(14)] AS INT64))] AS `ordinal`,
  TIMESTAMP_SECONDS(SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(15)] AS INT64)) AS `seconds`,
  TIMESTAMP_MICROS(9999999999999999 - SAFE_CAST(SUBSTR(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(16)], 1, 16) AS INT64)) AS `nanosDesc`,
  TIMESTAMP_MILLIS(9223372036854775807 - SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(17)] AS INT64)) AS `longDesc`,
  PARSE_TIMESTAMP('%Y%m%d%H', SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(18)]) AS `hour`,  -- the start of the hour, in UTC
  PARSE_TIMESTAMP('%Y%m%d', TRANSLATE(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(19)], '0123456789', '9876543210')) AS `dayDesc`,  -- the start of the day, in UTC
  TIMESTAMP_MILLIS(IF(STARTS_WITH(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(20)], '-'), -1 - (9999999999999 - SAFE_CAST(SUBSTR(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(20)], 2) AS INT64)), SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(20)] AS INT64))) AS `interval`,  -- the start of an interval of 300000 ms
  TIMESTAMP_MICROS(9999999999999999 - SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(21)] AS INT64)) AS `micros`,
  TIMESTAMP_MICROS(9223372036854775807 - SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(22)] AS INT64)) AS `microsLong`,
  SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(23)] AS TIMESTAMP) AS `iso`,
  SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(24)] AS DATE) AS `isoDay`,
  SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(25)] AS `uuid`,
  SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(26)] AS `ulid`,
  FROM_HEX(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(27)]) AS `bytes`,
  SAFE_CAST(REVERSE(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(28)]) AS INT64) AS `reversed`,
  ARRAY_TO_STRING(ARRAY_REVERSE(SPLIT(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(29)], '.')), '.') AS `domain`,
  TIMESTAMP_MILLIS(9999999999999 - SAFE_CAST(NULLIF(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(30)], '~') AS INT64)) AS `lastDesc`,
  SAFE_CAST(`f`[b'\x00\xff'] AS STRING) AS `binary_`,
  `f`['bool_'] = b'\x01' AS `bool_`,
  `f`['bytes_'] AS `bytes_`,
  TO_INT64(`f`['counter_']) AS `counter_`,
  SAFE_CAST(SAFE_CAST(`f`['date_'] AS STRING) AS DATE) AS `date_`,
  TO_FLOAT64(`f`['double_']) AS `double_`,
  TO_FLOAT32(`f`['float_']) AS `float_`,
  TO_INT64(`f`['int32_']) AS `int32_`,
  TO_INT64(`f`['int64_']) AS `int64_`,
  SAFE_CAST(`f`['it\'s\\'] AS STRING) AS `json_`,  -- JSON text, for JSON_VALUE and its like
  SAFE_CAST(`f`['string_'] AS STRING) AS `string_`,
  TIMESTAMP_MICROS(TO_INT64(`f`['timestamp_'])) AS `timestamp_`,
  TO_INT64(`f`['uint32_']) AS `uint32_`
FROM `kinds`
WHERE REGEXP_CONTAINS(SAFE_CAST(_key AS STRING), r'(?s)^[^#]*#(?:[^#]*)?#-?[0-9]{5}#(?::?[0-9]{5}|~)#[0-9]{10}#[0-9]{16}#:?[0-9]{19}#-?[0-9]{3,101}#-?[0-9]{30}#[0-9a-f]{16}#[0-9a-f]{16}#-?[0-9]{12}#[89]#[^#]*#[0-9]{2}#[0-9]{10}#[0-9]{19}#[0-9]{19}#[0-9]{10}#[0-9]{8}#-?[0-9]{13}#[0-9]{16}#[0-9]{19}#[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z#[0-9]{4}-[0-9]{2}-[0-9]{2}#[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}#[0-7][0-9A-HJKMNP-TV-Z]{25}#(?:[0-9a-f]{2})*#[0-9]{10}#[a-z0-9._-]+#(?:[0-9]{13}|~)$')

-- Rows of EveryOrderedKind with their values, for GoogleSQL of Bigtable:
--   gcloud bigtable logical-views create EveryOrderedKind --instance=INSTANCE --query="$(cat EveryOrderedKind.sql)"
-- Reads the key by the row_key_schema of table kinds-ordered, which must be set.
SELECT
  _key,
  `string` AS `string`,
  SAFE_CAST(REPLACE(SUBSTR(~`stringDesc`, 1, LENGTH(`stringDesc`) - 2), b'\x00\xff', b'\x00') AS STRING) AS `stringDesc`,
  IF(`nullable` = '', NULL, REGEXP_REPLACE(`nullable`, r'^(\x00*)\x00$', r'\1')) AS `nullable`,
  `int` AS `int`,
  -1 - `intDesc` AS `intDesc`,
  `intNullable` AS `intNullable`,  -- the bytes of the key: it may be null, which row_key_schema does not know
  `big` AS `big`,  -- its bytes: two digits of length and the digits, or - and their complement
  `wide` AS `wide`,
  `float` AS `float`,  -- an int64 that sorts like the float
  CONCAT(IF((-1 - `decimal`) < 0, '-', ''), CAST(DIV(ABS((-1 - `decimal`)), 100) AS STRING), '.', LPAD(CAST(MOD(ABS((-1 - `decimal`)), 100) AS STRING), 2, '0')) AS `decimal`,
  `bool` = 1 AS `bool`,
  `name` AS `name`,
  ['NEW', 'DONE'][SAFE_OFFSET(`ordinal`)] AS `ordinal`,
  `key_at` AS `at`,
  TIMESTAMP_MICROS(-1 - `atDesc`) AS `atDesc`,
  `hour` AS `hour`,
  `micros` AS `micros`,
  TIMESTAMP_MICROS(-1 - `iso`) AS `iso`,
  `isoDay` AS `isoDay`,
  REGEXP_REPLACE(TO_HEX(`uuid`), r'^(.{8})(.{4})(.{4})(.{4})(.{12})$', r'\1-\2-\3-\4-\5') AS `uuid`,
  `ulid` AS `ulid`,  -- the 16 bytes of the ULID
  `bytes` AS `bytes`,
  REPLACE(SUBSTR(~`bytesDesc`, 1, LENGTH(`bytesDesc`) - 2), b'\x00\xff', b'\x00') AS `bytesDesc`,
  SAFE_CAST(REVERSE(`reversed`) AS INT64) AS `reversed`,
  ARRAY_TO_STRING(ARRAY_REVERSE(SPLIT(`domain`, '.')), '.') AS `domain`,
  TO_FLOAT64(`f`['value']) AS `value`
FROM `kinds-ordered`
WHERE `_ds` = 'kind'

-- Rows of Order with their values, for GoogleSQL of Bigtable:
--   gcloud bigtable logical-views create Order --instance=INSTANCE --query="$(cat Order.sql)"
SELECT
  _key,
  ARRAY_TO_STRING(ARRAY_TRANSFORM(REGEXP_EXTRACT_ALL(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(0)], r'[$][0-9A-F]{2}|[^$]+'), p -> IF(STARTS_WITH(p, '$'), CODE_POINTS_TO_STRING([CAST(CONCAT('0x', SUBSTR(p, 2)) AS INT64)]), p)), '') AS `user`,
  TIMESTAMP_MILLIS(9999999999999 - SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(2)] AS INT64)) AS `placed`,
  TO_FLOAT64(`d`['total']) AS `total`,
  SAFE_CAST(`e`['lines'] AS STRING) AS `lines`,  -- JSON text, for JSON_VALUE and its like
  `peak`['dearest'] AS `dearest`  -- INT64, which SQL knows of an aggregate
FROM `shop`
WHERE REGEXP_CONTAINS(SAFE_CAST(_key AS STRING), r'(?s)^[^#]*#order#[0-9]{13}$')

-- Rows of User with their values, for GoogleSQL of Bigtable:
--   gcloud bigtable logical-views create User --instance=INSTANCE --query="$(cat User.sql)"
SELECT
  _key,
  ARRAY_TO_STRING(ARRAY_TRANSFORM(REGEXP_EXTRACT_ALL(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(0)], r'[$][0-9A-F]{2}|[^$]+'), p -> IF(STARTS_WITH(p, '$'), CODE_POINTS_TO_STRING([CAST(CONCAT('0x', SUBSTR(p, 2)) AS INT64)]), p)), '') AS `user`,
  SAFE_CAST(SAFE_CAST(`d`['born'] AS STRING) AS DATE) AS `born`,
  SAFE_CAST(COALESCE(`d`['name'], `d`['fullName'], `d`['nick']) AS STRING) AS `name`
FROM `shop`
WHERE REGEXP_CONTAINS(SAFE_CAST(_key AS STRING), r'(?s)^[^#]*#profile$')

-- Rows of Reading with their values, for GoogleSQL of Bigtable:
--   gcloud bigtable logical-views create Reading --instance=INSTANCE --query="$(cat Reading.sql)"
-- Reads messages by the schema bundle 'messages' of table telemetry; a field that was not written reads as its default.
SELECT
  _key,
  ARRAY_TO_STRING(ARRAY_TRANSFORM(REGEXP_EXTRACT_ALL(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(0)], r'[$][0-9A-F]{2}|[^$]+'), p -> IF(STARTS_WITH(p, '$'), CODE_POINTS_TO_STRING([CAST(CONCAT('0x', SUBSTR(p, 2)) AS INT64)]), p)), '') AS `tenant`,
  ARRAY_TO_STRING(ARRAY_TRANSFORM(REGEXP_EXTRACT_ALL(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(1)], r'[$][0-9A-F]{2}|[^$]+'), p -> IF(STARTS_WITH(p, '$'), CODE_POINTS_TO_STRING([CAST(CONCAT('0x', SUBSTR(p, 2)) AS INT64)]), p)), '') AS `device`,
  TIMESTAMP_MILLIS(9999999999999 - SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(2)] AS INT64)) AS `at`,
  `hits`['reads'] AS `reads`,  -- INT64, which SQL knows of an aggregate
  SAFE_CAST(`m`['note'] AS STRING) AS `note`,
  TO_FLOAT64(`m`['t']) AS `temperature`,
  TO_FLOAT64(`s`['history']) AS `history`,  -- the newest version; for all of them read the table (with_history => TRUE)
  CAST(`s`['status'] AS messages.telemetry.Status) AS `status`,
  CAST(`s`['status'] AS messages.telemetry.Status).firmware AS `status_firmware`,
  CAST(`s`['status'] AS messages.telemetry.Status).uptimeMs AS `status_uptimeMs`,
  CAST(`s`['status'] AS messages.telemetry.Status).mode AS `status_mode`,
  CAST(`s`['status'] AS messages.telemetry.Status).position.lat AS `status_position_lat`,
  CAST(`s`['status'] AS messages.telemetry.Status).position.lon AS `status_position_lon`,
  CAST(`s`['status'] AS messages.telemetry.Status).alarms AS `status_alarms`,  -- an array
  CAST(`s`['status'] AS messages.telemetry.Status).levels AS `status_levels`,  -- an array of key and value
  TIMESTAMP_MICROS(CAST(`s`['status'] AS messages.telemetry.Status).seen.seconds * 1000000 + DIV(CAST(`s`['status'] AS messages.telemetry.Status).seen.nanos, 1000)) AS `status_seen`,
  `tags` AS `tags`  -- a map from qualifier to string, in bytes
FROM `telemetry`
WHERE REGEXP_CONTAINS(SAFE_CAST(_key AS STRING), r'(?s)^[^#]*#[^#]*#[0-9]{13}$')

-- Rows of Total with their values, for GoogleSQL of Bigtable:
--   gcloud bigtable logical-views create Total --instance=INSTANCE --query="$(cat Total.sql)"
SELECT
  _key,
  SPLIT(SAFE_CAST(_key AS STRING), '|')[SAFE_OFFSET(0)] AS `country`,
  SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '|')[SAFE_OFFSET(1)] AS DATE) AS `day`,
  `total`['orders'] AS `orders`  -- INT64, which SQL knows of an aggregate
FROM `totals`
WHERE REGEXP_CONTAINS(SAFE_CAST(_key AS STRING), r'(?s)^[^\x7c]*\x7c[0-9]{4}-[0-9]{2}-[0-9]{2}$')
