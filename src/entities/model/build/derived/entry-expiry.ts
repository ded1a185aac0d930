/** When the entries of an index expire: with the cells of their rows. */
import type { FaultText } from '../../../../base/index.js';
import { maxAgeOf } from '../../gc-rule.js';
import type { ColumnModel, EntityModel, EntryExpiry, SegmentModel } from '../../model.js';
import { frozenMap } from '../shared/freeze.js';

interface Covering {
  readonly segments: readonly SegmentModel[];
  readonly covered: readonly ColumnModel[];
}

type Ages = ReadonlyMap<string, number>;

/**
 * A row leaves an entry with the first of the values that the index needs, or with its last cell if
 * the index needs no value. Undefined if no rule surely collects any of these, or of the values
 * that the index covers. A value that the index does not need must not expire.
 */
export function entryExpiry(
  model: EntityModel,
  { segments, covered }: Covering,
  isNeeded: (segment: SegmentModel) => boolean,
  report: (fault: FaultText) => void,
): EntryExpiry | undefined {
  const named = (each: readonly SegmentModel[]): readonly ColumnModel[] =>
    model.columns.filter(({ property }) => each.some((segment) => segment.property === property));
  const needed = named(segments.filter(isNeeded));
  const expiring = (columns: readonly ColumnModel[]): readonly ColumnModel[] =>
    Object.freeze(columns.filter(({ family }) => ageOf(model, family) !== Infinity));
  // The cells of a row that names its end expire together.
  const checked = model.expiresAt === undefined ? expiring(named(segments)) : [];
  for (const { property, family } of checked)
    if (!needed.some((each) => each.property === property))
      reportExpiring(property, family, report);
  const values = agesOf(model, familiesOf(expiring(needed)));
  const last = needed.length > 0 ? undefined : agesOf(model, wholeRow(model));
  const own = agesOf(model, familiesOf(expiring(covered)));
  const leaving = Math.max(0, ...values.values(), ...finite(last));
  // Entries that stay still lose what they cover.
  const age = leaving > 0 ? leaving : Math.max(0, ...own.values());
  if (age === 0) return undefined;
  return Object.freeze({
    age,
    ages: frozenMap([...own, ...values, ...(last ?? [])]),
    needed: expiring(needed),
    lasts: needed.length === 0,
  });
}

function reportExpiring(
  property: string,
  family: string,
  report: (fault: FaultText) => void,
): void {
  const problem =
    `names '${property}', which rows may lack, in family '${family}' with a maxAge: ` +
    'once the value has expired, the row has another entry, which nobody writes';
  const fix =
    `keep '${property}' in a family without maxAge, or index only rows that have it: ` +
    'without a default, and not nullable';
  report({ problem, fix });
}

/** The families in which a cell makes a row exist. */
function wholeRow({ columns, marker }: EntityModel): readonly string[] {
  const families = familiesOf(columns);
  return marker === undefined ? families : [...families, marker.family];
}

function familiesOf(columns: readonly ColumnModel[]): readonly string[] {
  return columns.map(({ family }) => family);
}

function ageOf({ table }: EntityModel, family: string): number {
  return maxAgeOf(table.families.get(family)?.gc);
}

function agesOf(model: EntityModel, families: readonly string[]): Ages {
  return new Map(families.map((family) => [family, ageOf(model, family)]));
}

/** If a row never ends, only the ages of its values matter. */
function finite(last: Ages | undefined): readonly number[] {
  const ages = [...(last?.values() ?? [])];
  return ages.includes(Infinity) ? [] : ages;
}
