/** Checks the property that gives the cells their timestamps, or the time at which rows expire. */
import { durationText, valueText, type FaultTexts } from '../../../base/index.js';
import { maxAgeOf } from '../gc-rule.js';
import type {
  ClassDeclaration,
  ColumnDeclaration,
  EntityOptions,
} from '../declaration/declaration.js';
import type { EntityModel, SegmentModel, TableModel } from '../model.js';
import { decoratorOf } from './build-columns.js';
import type { Report } from './shared/build-context.js';

/** The parts of an entity that its expiry depends on. */
interface Parts {
  readonly declaration: ClassDeclaration;
  readonly options: EntityOptions;
  readonly segments: readonly SegmentModel[];
  readonly table: TableModel;
  readonly marker: EntityModel['marker'];
}

/** Reports a `cellTimestamp` that is not a date. */
export function checkCellTimestamp(
  declaration: ClassDeclaration,
  { cellTimestamp }: EntityOptions,
  segments: readonly SegmentModel[],
  report: Report,
): void {
  if (cellTimestamp === undefined || isDateProperty(declaration, segments, cellTimestamp)) return;
  report(cellTimestamp, faults.unfitCellTimestamp);
}

/** The expiry of rows; undefined if none is declared, or if it has faults, which are reported. */
export function buildExpiry(
  { declaration, options, segments, table, marker }: Parts,
  report: Report,
): EntityModel['expiresAt'] {
  const { expiresAt: property, cellTimestamp } = options;
  if (property === undefined) return undefined;
  if (typeof property !== 'string') {
    report('expiresAt', faults.notAName(property));
    return undefined;
  }
  if (!isDateProperty(declaration, segments, property)) report(property, faults.unfitExpiry);
  if (cellTimestamp !== undefined) report(property, faults.twoTimes);
  for (const column of declaration.columns)
    if (hasOwnTimes(column, table))
      report(column.property, faults.ownTimes(decoratorOf(column), property));
  const ages = agesOf(declaration.columns, table, marker);
  for (const [family, age] of ages) if (age === Infinity) report(property, faults.noAge(family));
  const finite = new Set([...ages.values()].filter((age) => age !== Infinity));
  const [age = 0, ...more] = finite;
  if (more.length > 0) {
    const texts = [...ages].flatMap(([family, each]) =>
      each === Infinity ? [] : `'${family}' ${durationText(each / 1000)}`,
    );
    report(property, faults.severalAges(texts));
  }
  if (age % 1000 !== 0) report(property, faults.unevenAge(age / 1000));
  const isColumn = segments.every((segment) => segment.property !== property);
  return Object.freeze({ property, age, isColumn });
}

/** Whether storage gives the cells their timestamps, or each value has one. */
function hasOwnTimes({ kind, family }: ColumnDeclaration, { families }: TableModel): boolean {
  if (kind === 'counter' || kind === 'versions') return true;
  return kind === 'columnMap' && isAggregate(families, family);
}

function isAggregate(families: TableModel['families'], family: string): boolean {
  return families.get(family)?.aggregate !== undefined;
}

/**
 * The age of each family that the rows have cells in. Families that are not declared have none, and
 * aggregate families must not have one.
 */
function agesOf(
  columns: readonly ColumnDeclaration[],
  { families }: TableModel,
  marker: EntityModel['marker'],
): ReadonlyMap<string, number> {
  const used = columns.map(({ family }) => family);
  if (marker !== undefined) used.push(marker.family);
  const known = used.filter((family) => families.has(family) && !isAggregate(families, family));
  return new Map(known.map((family) => [family, maxAgeOf(families.get(family)?.gc)]));
}

function isDateProperty(
  declaration: ClassDeclaration,
  segments: readonly SegmentModel[],
  property: string,
): boolean {
  const segment = segments.find((each) => each.property === property);
  if (segment !== undefined)
    return segment.type.kind === 'timestamp' || segment.type.kind === 'isoDate';
  // A segment that is declared, but faulty, was reported already.
  if (declaration.segments.some((each) => each.property === property)) return true;
  const column = declaration.columns.find((each) => each.property === property);
  return column !== undefined && isDateColumn(column);
}

function isDateColumn({ kind, type, designType }: ColumnDeclaration): boolean {
  if (kind !== 'column') return false;
  if (type.kind === 'scalar') return type.scalar === 'timestamp';
  return type.kind === 'inferred' && designType() === Date;
}

const nameADate =
  "name a Date: @Segment('timestamp'), @Segment('isoDate') or @Column(family, 'timestamp')";

const faults = {
  unfitCellTimestamp: {
    problem: 'cellTimestamp names a property that is not a timestamp',
    fix: nameADate,
  },
  unfitExpiry: {
    problem: 'expiresAt names a property that is not a timestamp',
    fix: nameADate,
  },
  notAName: (given: unknown) => ({
    problem: `expiresAt is ${valueText(given)}, not the name of a property`,
    fix: nameADate,
  }),
  twoTimes: {
    problem: 'both expiresAt and cellTimestamp would set the timestamps of the cells',
    fix: 'declare one of the two',
  },
  ownTimes: (decorator: string, property: string) => ({
    problem:
      `the cells of ${decorator} have their own timestamps, ` +
      `so that they cannot expire at '${property}'`,
    fix: 'move it to another entity, or remove expiresAt',
  }),
  noAge: (family: string) => ({
    problem: `rows expire by the age of their cells, and no rule deletes cells of '${family}' by age`,
    fix: `declare families: { ${family}: { gc: maxAge('1d') } }`,
  }),
  severalAges: (ages: readonly string[]) => ({
    problem: `the cells of a row expire together, and its families have different ages: ${ages.join(', ')}`,
    fix: 'declare the same maxAge for all families of the entity',
  }),
  unevenAge: (ms: number) => ({
    problem: `the maxAge of its family is ${ms} ms, and timestamps are whole milliseconds`,
    fix: "declare a whole number of milliseconds: maxAge('1d')",
  }),
} satisfies FaultTexts;
