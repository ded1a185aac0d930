-- Rollup Reading.hourly as a continuous materialized view:
--   gcloud bigtable materialized-views create Reading.hourly --instance=INSTANCE --query="..."
-- The query cannot be changed once the view is created.
-- Views have no first: 'open' is left out.
-- Views have no last: 'close' is left out.
SELECT
  ARRAY_TO_STRING(ARRAY_TRANSFORM(REGEXP_EXTRACT_ALL(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(0)], r'[$][0-9A-F]{2}|[^$]+'), p -> IF(STARTS_WITH(p, '$'), CODE_POINTS_TO_STRING([CAST(CONCAT('0x', SUBSTR(p, 2)) AS INT64)]), p)), '') AS `tenant`,
  ARRAY_TO_STRING(ARRAY_TRANSFORM(REGEXP_EXTRACT_ALL(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(1)], r'[$][0-9A-F]{2}|[^$]+'), p -> IF(STARTS_WITH(p, '$'), CODE_POINTS_TO_STRING([CAST(CONCAT('0x', SUBSTR(p, 2)) AS INT64)]), p)), '') AS `device`,
  TIMESTAMP_MILLIS(UNIX_MILLIS(TIMESTAMP_MILLIS(9999999999999 - SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(2)] AS INT64))) - MOD(UNIX_MILLIS(TIMESTAMP_MILLIS(9999999999999 - SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(2)] AS INT64))), 3600000)) AS `at`,
  COUNT(*) AS `count`,
  COUNT(SAFE_CAST(`m`['note'] AS STRING)) AS `noted`,
  AVG(TO_FLOAT64(`m`['temperature'])) AS `avg`,
  MIN(TO_FLOAT64(`m`['temperature'])) AS `low`,
  MAX(TO_FLOAT64(`m`['temperature'])) AS `high`,
  SUM(TO_FLOAT64(`m`['temperature'])) AS `total`,
  SUM(TO_INT64(`m`['energy'])) AS `watts`
FROM `readings`
WHERE REGEXP_CONTAINS(SAFE_CAST(_key AS STRING), r'(?s)^[^#]*#[^#]*#[0-9]{13}$')
GROUP BY `tenant`, `device`, `at`
