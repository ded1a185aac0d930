-- Index Article.byAuthor as an asynchronous secondary index:
--   gcloud bigtable materialized-views create Article.byAuthor --instance=INSTANCE --query="..."
-- Written from Google's documentation, and not run by Rowsmith: test it on an instance first.
-- It cannot be changed once the view is created, and the view is older than its table for a while.
SELECT
  REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REGEXP_EXTRACT(SAFE_CAST(_key AS STRING), r'(?s)^(?:[^#]*#){1}([^#]*)'), '$00', '\x00'), '$01', '\x01'), '$02', '\x02'), '$03', '\x03'), '$04', '\x04'), '$05', '\x05'), '$06', '\x06'), '$07', '\x07'), '$08', '\x08'), '$09', '\x09'), '$0A', '\x0a'), '$0B', '\x0b'), '$0C', '\x0c'), '$0D', '\x0d'), '$0E', '\x0e'), '$0F', '\x0f'), '$10', '\x10'), '$11', '\x11'), '$12', '\x12'), '$13', '\x13'), '$14', '\x14'), '$15', '\x15'), '$16', '\x16'), '$17', '\x17'), '$18', '\x18'), '$19', '\x19'), '$1A', '\x1a'), '$1B', '\x1b'), '$1C', '\x1c'), '$1D', '\x1d'), '$1E', '\x1e'), '$1F', '\x1f'), '$20', ' '), '$21', '!'), '$22', '"'), '$23', '#'), '$24', '$') AS `site`,
  LOWER(SAFE_CAST(`m`['author'] AS STRING)) AS `author`,
  _key AS `source_key`,
  SAFE_CAST(`m`['title'] AS STRING) AS `title`,
  CAST(SAFE_CAST(SAFE_CAST(`m`['day'] AS STRING) AS DATE) AS STRING) AS `day`
FROM `articles`
WHERE _key >= b'article#'
  AND _key < b'article$'
  AND REGEXP_CONTAINS(SAFE_CAST(_key AS STRING), r'(?s)^article#[^#]*#[0-9]{2}#[0-9]{13}#[0-9]{3}$')
  AND LOWER(SAFE_CAST(`m`['author'] AS STRING)) IS NOT NULL
ORDER BY `site`, `author`, `source_key`
