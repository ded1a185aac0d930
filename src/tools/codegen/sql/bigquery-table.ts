/**
 * The definition of a BigQuery external table over a Bigtable table: `bq mk
 * --external_table_definition=F dataset.table`.
 */
import { toHex } from '../../../base/index.js';
import type { ColumnModel, EntityModel } from '../../../entities/model/index.js';
import type { NamedInstance } from '../tables/instance.js';
import type { TableOfEntities } from '../tables/tables.js';
import { UniqueNames } from '../unique-names.js';
import { schemaBundleId } from './sql-column.js';
import { utf8Text } from './sql-literal.js';

/** Type and encoding of cells, as bigtableOptions name them (BigQuery API, BigtableColumn). */
interface CellType {
  readonly type: 'BYTES' | 'STRING' | 'INTEGER' | 'FLOAT' | 'BOOLEAN' | 'JSON';
  /** BINARY is HBase's Bytes.toBytes: big-endian numbers of eight bytes, as ours. */
  readonly encoding?: 'BINARY' | 'PROTO_BINARY';
  readonly protoConfig?: { readonly schemaBundleId: string; readonly protoMessageName: string };
}

const bytes: CellType = { type: 'BYTES' };
const integer: CellType = { type: 'INTEGER', encoding: 'BINARY' };

/**
 * The definition as JSON. Its URI contains the project and instance: PROJECT and INSTANCE when they
 * are not known.
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
  const fieldNames = new UniqueNames();
  return {
    familyId,
    onlyReadLatest: columns.every((column) => column.kind !== 'versions'),
    ...defaultType(columns, aggregate),
    columns: [...byQualifier(columns)].map((sharing) => columnOf(sharing, fieldNames)),
  };
}

/** The type of cells with a qualifier that is not listed. */
function defaultType(columns: readonly ColumnModel[], aggregate: boolean): CellType {
  const map = columns.find((column) => column.kind === 'columnMap');
  if (map !== undefined) return cellType(map);
  if (aggregate) return integer;
  return bytes;
}

type QualifiedColumn = Exclude<ColumnModel, { readonly kind: 'columnMap' }>;

/** The columns of each qualifier: entities that share a family may share its columns. */
function byQualifier(columns: readonly ColumnModel[]): Iterable<readonly QualifiedColumn[]> {
  const groups = new Map<string, QualifiedColumn[]>();
  for (const column of columns) {
    if (column.kind === 'columnMap') continue;
    const qualifier = toHex(column.qualifier);
    groups.set(qualifier, [...(groups.get(qualifier) ?? []), column]);
  }
  return groups.values();
}

function columnOf(sharing: readonly QualifiedColumn[], fieldNames: UniqueNames): object {
  const [{ qualifier, property }] = sharing;
  return {
    ...qualifierOf(qualifier),
    fieldName: fieldNames.take(fieldName(property)),
    ...commonType(sharing),
    onlyReadLatest: sharing.every((column) => column.kind !== 'versions'),
  };
}

function qualifierOf(qualifier: Uint8Array): object {
  const text = utf8Text(qualifier);
  if (text === undefined) return { qualifierEncoded: Buffer.from(qualifier).toString('base64') };
  return { qualifierString: text };
}

/** BigQuery accepts [a-zA-Z][a-zA-Z0-9_]*. */
function fieldName(property: string): string {
  return property.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^(?![a-zA-Z])/, 'c');
}

/** The type of cells that several entities may read; BYTES when they read them differently. */
function commonType(sharing: readonly QualifiedColumn[]): CellType {
  const [first, ...others] = sharing.map(cellType);
  const differs = others.some((type) => JSON.stringify(type) !== JSON.stringify(first));
  if (differs) return bytes;
  return first;
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
      return integer;
    case 'double':
      return { type: 'FLOAT', encoding: 'BINARY' };
    // BigQuery has no type for a float of four bytes.
    default:
      return bytes;
  }
}
