/** The table of a collection: rows of several entities, each with its key and its values. */
import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import type { JsonValue } from '../../protocol/json.js';
import type { RowView } from '../../protocol/query.js';
import type { ColumnInfo } from '../../protocol/schema.js';
import { entityNamed } from '../state/studio.js';
import { type GridColumn, gridColumns } from './columns.js';
import { Grid } from './grid.js';

type GridProps = Omit<Parameters<typeof Grid>[0], 'columns'>;

const columnOf = (name: string, role: ColumnInfo['role'], kind: string): ColumnInfo => ({
  name,
  role,
  kind,
  required: true,
  editable: false,
  comparable: false,
  tests: [],
});

const collectionColumns: readonly ColumnInfo[] = [
  columnOf('entity', 'key', 'string'),
  columnOf('key', 'key', 'message'),
  columnOf('values', 'column', 'message'),
];

/** A row as the three columns show it. */
export function collectionRow(row: RowView): RowView {
  const entity = entityNamed(row.entity);
  if (entity === undefined) return { ...row, values: [row.entity ?? '', null, null] };
  const segments = entity.key.segments.map(({ name }) => name);
  const names = [...segments, ...entity.columns.map(({ name }) => name)];
  const [key, values]: Record<string, JsonValue>[] = [{}, {}];
  names.forEach((name, i) => {
    const value = row.values[i] ?? null;
    if (value !== null) (i < segments.length ? key : values)[name] = value;
  });
  return { ...row, values: [entity.name, key, values] };
}

export function CollectionGrid(props: GridProps): JSX.Element {
  const columns = useComputed((): readonly GridColumn[] =>
    gridColumns(collectionColumns, [], false),
  );
  return <Grid {...props} columns={columns.value} rowOf={collectionRow} />;
}
