/** The query that finds one row. */
import type { StudioQuery } from '../../protocol/query.js';
import type { RowDetail } from '../../protocol/row.js';
import type { EntityInfo } from '../../protocol/schema.js';

/** Undefined if the key of the row is not decoded. */
export function rowQuery(
  { values }: RowDetail,
  entity: EntityInfo | undefined,
): StudioQuery | undefined {
  if (entity === undefined || values === undefined) return undefined;
  const fixed = entity.key.segments.map(({ name }) => ({
    segment: name,
    values: [values[name] ?? null],
  }));
  return { source: { kind: 'entity', entity: entity.name }, fixed };
}
