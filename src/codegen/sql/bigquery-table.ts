/**
 * The definition of a BigQuery external table over a Bigtable table: `bq mk
 * --external_table_definition=F dataset.table`.
 */
import { toHex } from '../../bytes/index.js';
import type { ColumnModel, EntityModel } from '../../model/index.js';
import type { NamedInstance } from '../tables/instance.js';
import { schemaBundleId } from './sql-column.js';
import { uniqueNames } from './sql-literal.js';
import type { TableOfEntities } from '../tables/tables.js';

/** Type and encoding of cells, as bigtableOptions name them (BigQuery API, BigtableColumn). */
interface CellType {
  readonly type: 'BYTES' | 'STRING' | 'INTEGER' | 'FLOAT' | 'BOOLEAN' | 'JSON';
  /** BINARY is HBase's Bytes.toBytes: big-endian numbers of eight bytes, as ours. */
  readonly encoding?: 'BINARY' | 'PROTO_BINARY';
  readonly protoConfig?: { readonly schemaBundleId: string; readonly protoMessageName: string };
}

/**
 * The definition as JSON. Project and instance stand in the uri, so where the url names none they
 * are PROJECT and INSTANCE.
 */
export function bigQueryTable(
  { schema, models }: TableOfEntities,
  { project = 'PROJECT', instance = 'INSTANCE' }: NamedInstance,
): string {
  const definition = {
    sourceFormat: 'BIGTABLE',
    sourceUris: [
      `https://googleapis.com/bigtable/projects/${project}/instances/${instance}/tables/${schema.name}`,
    ],
    bigtableOptions: {
      readRowkeyAsString: models.every((model) => model.key.spec.format !== 'ordered'),
      ignoreUnspecifiedColumnFamilies: true,
      columnFamilies: [...schema.families].map(([family, { aggregate }]) =>
        familyOf(family, aggregate !== undefined, models),
      ),
    },
  };
  return `${JSON.stringify(definition, undefined, 2)}\n`;
}

function familyOf(familyId: string, aggregate: boolean, models: readonly EntityModel[]): object {
  const columns = models.flatMap((model) =>
    model.columns.filter((column) => column.family === familyId),
  );
  const map = columns.find((column) => column.kind === 'columnMap');
  const fallback: CellType =
    map === undefined
      ? aggregate
        ? { type: 'INTEGER', encoding: 'BINARY' }
        : { type: 'BYTES' }
      : cellType(map);
  const fieldName = uniqueNames();
  return {
    familyId,
    onlyReadLatest: columns.every((column) => column.kind !== 'versions'),
    ...fallback,
    columns: [...byQualifier(columns)].map((sharing) => columnOf(sharing, fieldName)),
  };
}

/** The columns of each qualifier: entities that share a family may share its columns. */
function byQualifier(columns: readonly ColumnModel[]): Iterable<readonly QualifiedColumn[]> {
  const found = new Map<string, QualifiedColumn[]>();
  for (const column of columns) {
    if (column.kind === 'columnMap') continue;
    const place = toHex(column.qualifier);
    found.set(place, [...(found.get(place) ?? []), column]);
  }
  return found.values();
}

type QualifiedColumn = Exclude<ColumnModel, { readonly kind: 'columnMap' }>;

function columnOf(
  sharing: readonly QualifiedColumn[],
  fieldName: (wanted: string) => string,
): object {
  const [{ qualifier, property }] = sharing;
  const types = sharing.map(cellType);
  const agreed = types.every((type) => JSON.stringify(type) === JSON.stringify(types[0]));
  const text = Buffer.from(qualifier).toString();
  return {
    ...(Buffer.from(text).equals(qualifier)
      ? { qualifierString: text }
      : { qualifierEncoded: Buffer.from(qualifier).toString('base64') }),
    // BigQuery takes [a-zA-Z][a-zA-Z0-9_]*.
    fieldName: fieldName(property.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^(?![a-zA-Z])/, 'c')),
    // Entities that read the same cells differently: only the bytes are true of both.
    ...(agreed ? types[0] : { type: 'BYTES' }),
    onlyReadLatest: sharing.every((column) => column.kind !== 'versions'),
  };
}

function cellType({ codec, message }: ColumnModel): CellType {
  if (message !== undefined)
    return {
      type: 'JSON',
      encoding: 'PROTO_BINARY',
      protoConfig: { schemaBundleId, protoMessageName: message.name },
    };
  switch (codec.kind) {
    case 'string':
    case 'date':
      return { type: 'STRING' };
    case 'json':
      return { type: 'JSON' };
    case 'bool':
      return { type: 'BOOLEAN', encoding: 'BINARY' };
    // A timestamp is its microseconds: TIMESTAMP_MICROS(...) in a query.
    case 'int32':
    case 'uint32':
    case 'int64':
    case 'timestamp':
      return { type: 'INTEGER', encoding: 'BINARY' };
    case 'double':
      return { type: 'FLOAT', encoding: 'BINARY' };
    // A float of four bytes is none of the types that BigQuery reads.
    default:
      return { type: 'BYTES' };
  }
}
