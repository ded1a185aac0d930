-- Rollup Order.sales as a continuous materialized view:
--   gcloud bigtable materialized-views create Order.sales --instance=INSTANCE --query="..."
-- The query cannot be changed once the view is created.
-- Views have no first: 'opening' is left out.
-- Views have no last: 'status' is left out.
SELECT
  ARRAY_TO_STRING(ARRAY_TRANSFORM(REGEXP_EXTRACT_ALL(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(0)], r'[$][0-9A-F]{2}|[^$]+'), p -> IF(STARTS_WITH(p, '$'), CODE_POINTS_TO_STRING([CAST(CONCAT('0x', SUBSTR(p, 2)) AS INT64)]), p)), '') AS `shop`,
  TIMESTAMP_MILLIS(UNIX_MILLIS(TIMESTAMP_MILLIS(SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(1)] AS INT64))) - MOD(UNIX_MILLIS(TIMESTAMP_MILLIS(SAFE_CAST(SPLIT(SAFE_CAST(_key AS STRING), '#')[SAFE_OFFSET(1)] AS INT64))), 86400000)) AS `at`,
  COUNT(*) AS `orders`,
  SUM(SAFE_CAST(SAFE_CAST(`o`['total'] AS STRING) AS FLOAT64)) AS `revenue`,
  MAX(SAFE_CAST(SAFE_CAST(`o`['total'] AS STRING) AS FLOAT64)) AS `largest`,
  AVG(TO_INT64(`o`['items'])) AS `mean`
FROM `orders`
WHERE REGEXP_CONTAINS(SAFE_CAST(_key AS STRING), r'(?s)^[^#]*#[0-9]{13}#[0-9]{16}$')
GROUP BY `shop`, `at`
