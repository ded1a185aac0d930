/** When the entries of an index expire: with the cells of their rows. */
import { maxAgeOf } from '../../gc-rule.js';
import type { ColumnModel, EntityModel, EntryExpiry, SegmentModel } from '../../model.js';
import { frozenMap } from '../shared/freeze.js';

interface Covering {
  readonly segments: readonly SegmentModel[];
  readonly covered: readonly ColumnModel[];
}

/**
 * A row leaves the index with the first of the columns that it needs there, or, if it is in the
 * index whatever its columns, with its last cell. Undefined if no rule surely collects these.
 */
export function entryExpiry(
  model: EntityModel,
  { segments, covered }: Covering,
  isNeeded: (segment: SegmentModel) => boolean,
): EntryExpiry | undefined {
  const needed = segments.filter(isNeeded).map(({ property }) => property);
  const own = agesOf(
    model,
    covered.map(({ family }) => family),
  );
  if (needed.length === 0) return expiryOf(agesOf(model, wholeRow(model)), own, undefined);
  const columns = model.columns.filter(({ property }) => needed.includes(property));
  const ages = agesOf(
    model,
    columns.map(({ family }) => family),
  );
  const expiring = columns.filter(({ family }) => ages.get(family) !== Infinity);
  const finite = [...ages].filter(([, age]) => age !== Infinity);
  return expiryOf(new Map(finite), own, Object.freeze(expiring));
}

/** The families in which a cell makes a row exist. */
function wholeRow({ columns, marker }: EntityModel): readonly string[] {
  const families = columns.map(({ family }) => family);
  return marker === undefined ? families : [...families, marker.family];
}

function agesOf({ table }: EntityModel, families: readonly string[]): Map<string, number> {
  return new Map(families.map((family) => [family, maxAgeOf(table.families.get(family)?.gc)]));
}

function expiryOf(
  ages: ReadonlyMap<string, number>,
  covered: ReadonlyMap<string, number>,
  columns: readonly ColumnModel[] | undefined,
): EntryExpiry | undefined {
  const age = Math.max(0, ...ages.values());
  if (age === 0 || age === Infinity) return undefined;
  const all = [...covered, ...ages].filter(([, each]) => each !== Infinity);
  return Object.freeze({ age, ages: frozenMap(all), columns });
}
