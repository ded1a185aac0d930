-- Rollup Article.daily as a continuous materialized view:
--   gcloud bigtable materialized-views create Article.daily --instance=INSTANCE --query="..."
-- Written from Google's documentation, and not run by Rowsmith: test it on an instance first.
-- It cannot be changed once the view is created, and the view is older than its table for a while.
SELECT
  REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REGEXP_EXTRACT(SAFE_CAST(_key AS STRING), r'(?s)^(?:[^#]*#){1}([^#]*)'), '$00', '\x00'), '$01', '\x01'), '$02', '\x02'), '$03', '\x03'), '$04', '\x04'), '$05', '\x05'), '$06', '\x06'), '$07', '\x07'), '$08', '\x08'), '$09', '\x09'), '$0A', '\x0a'), '$0B', '\x0b'), '$0C', '\x0c'), '$0D', '\x0d'), '$0E', '\x0e'), '$0F', '\x0f'), '$10', '\x10'), '$11', '\x11'), '$12', '\x12'), '$13', '\x13'), '$14', '\x14'), '$15', '\x15'), '$16', '\x16'), '$17', '\x17'), '$18', '\x18'), '$19', '\x19'), '$1A', '\x1a'), '$1B', '\x1b'), '$1C', '\x1c'), '$1D', '\x1d'), '$1E', '\x1e'), '$1F', '\x1f'), '$20', ' '), '$21', '!'), '$22', '"'), '$23', '#'), '$24', '$') AS `site`,
  CASE SAFE_CAST(REGEXP_EXTRACT(SAFE_CAST(_key AS STRING), r'(?s)^(?:[^#]*#){2}([^#]*)') AS INT64) WHEN 0 THEN 'news' WHEN 1 THEN 'sport' END AS `section`,
  TIMESTAMP_MILLIS(UNIX_MILLIS(TIMESTAMP_MILLIS(SAFE_CAST(REGEXP_EXTRACT(SAFE_CAST(_key AS STRING), r'(?s)^(?:[^#]*#){3}([^#]*)') AS INT64))) - MOD(UNIX_MILLIS(TIMESTAMP_MILLIS(SAFE_CAST(REGEXP_EXTRACT(SAFE_CAST(_key AS STRING), r'(?s)^(?:[^#]*#){3}([^#]*)') AS INT64))), 86400000)) AS `at`,
  COUNT(*) AS `count`
FROM `articles`
WHERE _key >= b'article#'
  AND _key < b'article$'
  AND REGEXP_CONTAINS(SAFE_CAST(_key AS STRING), r'(?s)^article#[^#]*#[0-9]{2}#[0-9]{13}#[0-9]{3}$')
GROUP BY `site`, `section`, `at`
