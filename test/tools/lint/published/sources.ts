/**
 * Pages that describe the designs or their patterns; a design may be adapted from its page. Not every
 * address was opened.
 */
const bigtable = 'https://cloud.google.com/bigtable/docs';
const spanner = 'https://cloud.google.com/spanner/docs';
const dynamo = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide';
const azure = 'https://learn.microsoft.com/azure/storage/tables';

export const google = {
  keys: `${bigtable}/schema-design#row-keys`,
  avoid: `${bigtable}/schema-design#row-keys-avoid`,
  families: `${bigtable}/schema-design#column-families`,
  columns: `${bigtable}/schema-design#columns`,
  tables: `${bigtable}/schema-design#tables`,
  rows: `${bigtable}/schema-design#rows`,
  cells: `${bigtable}/schema-design#cells`,
  timeSeries: `${bigtable}/schema-design-time-series`,
  keySchemas: `${bigtable}/manage-row-key-schemas`,
  collection: `${bigtable}/garbage-collection`,
  sequenceNumbers: `${bigtable}/gc-sequence-numbers`,
  writes: `${bigtable}/writes`,
  reads: `${bigtable}/reads`,
  aggregates: `${bigtable}/counters-overview`,
  indexes: `${bigtable}/asynchronous-secondary-index`,
  busCodelab: 'https://codelabs.developers.google.com/codelabs/cloud-bigtable-intro-java',
  paper: 'https://research.google/pubs/bigtable-a-distributed-storage-system-for-structured-data/',
};

export const hbase = {
  keys: 'https://hbase.apache.org/book.html#rowkey.design',
  cases: 'https://hbase.apache.org/book.html#schema.casestudies',
  numbers: 'https://hbase.apache.org/book.html#number.of.cfs',
  openTsdb: 'http://opentsdb.net/docs/build/html/user_guide/backends/hbase.html',
  phoenix: 'https://phoenix.apache.org/salted.html',
  geoMesa: 'https://www.geomesa.org/documentation/stable/user/datastores/index_overview.html',
};

export const sql = {
  hotspots: `${spanner}/schema-design#primary-key-prevent-hotspots`,
  defaults: `${spanner}/primary-key-default-value`,
  interleaved: `${spanner}/schema-and-data-model#parent-child`,
  timestamps:
    'https://cloud.google.com/blog/products/gcp/sharding-of-timestamp-ordered-data-in-cloud-spanner',
  cockroach: 'https://www.cockroachlabs.com/docs/stable/hash-sharded-indexes',
};

export const amazon = {
  uniform: `${dynamo}/bp-partition-key-uniform-load.html`,
  design: `${dynamo}/bp-partition-key-design.html`,
  sharding: `${dynamo}/bp-partition-key-sharding.html`,
  hierarchies: `${dynamo}/bp-sort-keys.html`,
  timeSeries: `${dynamo}/bp-time-series.html`,
  large: `${dynamo}/bp-use-s3-too.html`,
  leaderboard: `${dynamo}/GSI.html`,
};

export const various = {
  azureKeys: `${azure}/table-storage-design-guidelines`,
  azurePatterns: `${azure}/table-storage-design-patterns`,
  cassandra:
    'https://cassandra.apache.org/doc/latest/cassandra/developing/data-modeling/index.html',
  cassandraSeries:
    'https://academy.datastax.com/resources/getting-started-time-series-data-modeling',
  cassandraTables:
    'https://thelastpickle.com/blog/2017/08/02/time-series-data-modeling-massive-scale.html',
  discord: 'https://discord.com/blog/how-discord-stores-billions-of-messages',
  mongo: 'https://www.mongodb.com/docs/manual/core/sharding-choose-a-shard-key/',
  mongoUnbounded:
    'https://www.mongodb.com/docs/manual/data-modeling/design-antipatterns/unbounded-arrays/',
  jaeger: 'https://github.com/jaegertracing/jaeger/tree/main/internal/storage/v1/cassandra/schema',
  cortex: 'https://cortexmetrics.io/docs/chunks-storage/',
  twissandra: 'https://github.com/twissandra/twissandra',
  kafka: 'https://kafka.apache.org/documentation/#intro_concepts_and_terms',
};

/** Sources of the designs that were held out. */
export const later = {
  cosmos: 'https://learn.microsoft.com/azure/cosmos-db/partitioning-overview',
  firestore: 'https://firebase.google.com/docs/firestore/best-practices',
  tidb: 'https://docs.pingcap.com/tidb/stable/troubleshoot-hot-spot-issues',
  kudu: 'https://kudu.apache.org/docs/schema_design.html',
  scylla: 'https://opensource.docs.scylladb.com/stable/data-modeling/',
  druid: 'https://druid.apache.org/docs/latest/ingestion/schema-design',
};
