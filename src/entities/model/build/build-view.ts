/** Builds the model of an authorized view from the model of its entity. */
import {
  compareBytes,
  nextPrefix,
  quotedList,
  RowsmithError,
  isRowsmithError,
  valueText,
  type FaultTexts,
  type KeyRange,
} from '../../../base/index.js';
import type { Constructor, ViewDeclaration } from '../declaration/declaration.js';
import { isOptions } from '../declaration/given-options.js';
import { qualifiersOf } from '../column-qualifiers.js';
import type { ColumnModel, EntityModel, ManagedProperties, ViewModel } from '../model.js';
import { noIndexes } from './derived/build-indexes.js';
import type { Report } from './shared/build-context.js';

/** The options as they were given. */
type Options = Readonly<Partial<Record<(typeof optionNames)[number], unknown>>>;

const optionNames = ['columns', 'rows', 'deletionProtection'] as const;

/** The model of the view; undefined if it has faults. */
export function buildView(
  viewClass: Constructor,
  { name, options }: ViewDeclaration,
  source: EntityModel,
  report: Report,
): EntityModel | undefined {
  if (typeof name !== 'string' || !/^[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,49}$/.test(name)) {
    report(undefined, faults.wrongName(valueText(name)));
    return undefined;
  }
  if (source.view !== undefined) {
    report(undefined, faults.viewOfView(source.name));
    return undefined;
  }
  const given = options as Options;
  if (!hasKnownOptions(given, report)) return undefined;
  const columns = shownColumns(given.columns, source, report);
  const rowPrefixes = prefixesOf(given.rows, source, report);
  if (columns === undefined || rowPrefixes === undefined) return undefined;
  const hidden = source.columns.filter((column) => !columns.includes(column));
  const families = familiesOf(columns, source);
  const covered = hidden.find(({ family }) => families.get(family) === 'all');
  if (covered !== undefined) {
    report(covered.property, faults.sharedFamily(covered.property, covered.family));
    return undefined;
  }
  const view: ViewModel = {
    name,
    of: source,
    rowPrefixes,
    families,
    deletionProtection: given.deletionProtection === true,
    readOnly: readOnlyReason(source, hidden),
  };
  return Object.freeze<EntityModel>({
    ...source,
    name: `${source.name}.${name}`,
    entityClass: viewClass,
    columns: Object.freeze(columns),
    patterns: [],
    indexes: noIndexes,
    rollups: [],
    copies: undefined,
    copiedBy: undefined,
    managed: managedIn(source.managed, hidden),
    hooks: hidden.length === 0 ? source.hooks : undefined,
    schema: hidden.length === 0 ? source.schema : undefined,
    view: Object.freeze(view),
  });
}

function hasKnownOptions(given: Options, report: Report): boolean {
  const unknown = Object.keys(given).find((each) => !optionNames.includes(each as never));
  if (unknown !== undefined) report(undefined, faults.unknownOption(unknown));
  const { deletionProtection = false } = given;
  if (typeof deletionProtection !== 'boolean')
    report(undefined, faults.wrongProtection(valueText(deletionProtection)));
  return unknown === undefined && typeof deletionProtection === 'boolean';
}

function shownColumns(
  given: unknown,
  { name, columns }: EntityModel,
  report: Report,
): readonly ColumnModel[] | undefined {
  if (!Array.isArray(given) || given.length === 0) {
    report(undefined, faults.missingColumns(valueText(given)));
    return undefined;
  }
  const names = columns.map(({ property }) => property);
  const unknown = (given as unknown[]).find((each) => !names.includes(each as string));
  if (unknown !== undefined) {
    if (typeof unknown !== 'string')
      report(undefined, faults.unknownColumn(valueText(unknown), name, names));
    else report(unknown, faults.unknownColumn(`'${unknown}'`, name, names));
    return undefined;
  }
  return columns.filter(({ property }) => given.includes(property));
}

/** The prefixes of the keys of the rows, each a part of the table. */
function prefixesOf(
  rows: unknown = [{}],
  { key }: EntityModel,
  report: Report,
): readonly Uint8Array[] | undefined {
  if (!Array.isArray(rows) || rows.length === 0 || !rows.every(isOptions)) {
    report(undefined, faults.wrongRows(valueText(rows)));
    return undefined;
  }
  try {
    const conditions = rows.map((values) => ({ fixed: values }));
    const ranges = conditions.flatMap((condition) => key.ranges(condition).perShard.flat());
    const all = ranges.find((range) => !isPrefix(range));
    if (all === undefined) return Object.freeze(ranges.map(({ start }) => start));
    report(undefined, faults.notPrefixes);
  } catch (error) {
    if (!isRowsmithError(error)) throw error;
    report(error.details.property, faults.invalidRows(error.details.problem ?? error.message));
  }
  return undefined;
}

/** True if the range has exactly the keys that begin with its start. */
function isPrefix({ start, end }: KeyRange): boolean {
  const next = nextPrefix(start);
  if (next === undefined || end === undefined) return next === end;
  return compareBytes(next, end) === 0;
}

/** By name: the qualifiers that are shown. The empty cell of the marker tells nothing. */
function familiesOf(
  columns: readonly ColumnModel[],
  { marker }: EntityModel,
): ReadonlyMap<string, 'all' | readonly Uint8Array[]> {
  const families = new Map<string, 'all' | Uint8Array[]>();
  const add = (family: string, qualifiers: readonly Uint8Array[]): void => {
    const before = families.get(family);
    if (before !== 'all') families.set(family, [...(before ?? []), ...qualifiers]);
  };
  for (const column of columns) {
    if (column.kind === 'columnMap') families.set(column.family, 'all');
    else add(column.family, qualifiersOf(column));
  }
  if (marker !== undefined) add(marker.family, [marker.qualifier]);
  return families;
}

function managedIn(
  managed: ManagedProperties | undefined,
  hidden: readonly ColumnModel[],
): ManagedProperties | undefined {
  if (managed === undefined) return undefined;
  const shown = Object.entries(managed).filter(
    ([, property]) => !hidden.some((column) => column.property === property),
  );
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

/** Why rows cannot be written through the view: what the library keeps true would become false. */
function readOnlyReason(
  source: EntityModel,
  hidden: readonly ColumnModel[],
): ViewModel['readOnly'] {
  const { name, indexes, rollups, copies = [], schema, hooks, managed, cellTimestamp } = source;
  if (indexes.length > 0) return faults.derivedRows(name, `index '${indexes[0].name}'`);
  if (rollups.length > 0) return faults.derivedRows(name, `rollup '${rollups[0].name}'`);
  if (copies.length > 0) return faults.derivedRows(name, 'copied columns');
  if (hidden.length === 0) return undefined;
  if (schema !== undefined) return faults.wholeEntity(name, 'its schema');
  if (hooks?.beforeWrite !== undefined) return faults.wholeEntity(name, 'beforeWrite');
  const kept: unknown[] = Object.values(managed ?? {});
  kept.push(cellTimestamp, source.expiresAt?.property);
  const needed = hidden.find(
    (column) =>
      kept.includes(column.property) || ('required' in column && column.required === true),
  );
  if (needed === undefined) return undefined;
  return { property: needed.property, ...faults.hiddenColumn(name, needed.property) };
}

/** The error of a write through a view that is only read. */
export function readOnlyView({ name, view }: EntityModel): RowsmithError | undefined {
  if (view?.readOnly === undefined) return undefined;
  return new RowsmithError('UNSUPPORTED', { entity: name, ...view.readOnly });
}

const faults = {
  wrongName: (given: string) => ({
    problem: `the view's name is ${given}`,
    fix: 'give 1 to 50 letters, digits and characters of _-., the first a letter, a digit or _',
  }),
  unknownOption: (option: string) => ({
    problem: `there is no option '${option}' of a view`,
    fix: `use some of ${quotedList(optionNames)}`,
  }),
  wrongProtection: (given: string) => ({
    problem: `deletionProtection is ${given}`,
    fix: 'write deletionProtection: true, or leave it out',
  }),
  viewOfView: (name: string) => ({
    problem: `${name} is a view itself`,
    fix: 'declare the view of the entity',
  }),
  missingColumns: (given: string) => ({
    problem: `columns is ${given}`,
    fix: "name the columns that the view shows: columns: ['name']",
  }),
  unknownColumn: (given: string, name: string, names: readonly string[]) => ({
    problem: `${given} is not a column of ${name}`,
    fix: `use some of ${quotedList(names)}; segments of the key are always shown`,
  }),
  wrongRows: (given: string) => ({
    problem: `rows is ${given}`,
    fix: "give values of leading segments, rows: [{ tenant: 'acme' }], or leave it out",
  }),
  notPrefixes: {
    problem: 'rows give every segment of the key, and a view shows all rows with a prefix',
    fix: 'leave out the last segment of rows',
  },
  invalidRows: (problem: string) => ({
    problem: `rows are not values of leading segments: ${problem}`,
    fix: "give values of leading segments without gaps: rows: [{ tenant: 'acme' }]",
  }),
  sharedFamily: (property: string, family: string) => ({
    problem: `the view shows all of family '${family}', for a column map, and so '${property}' too`,
    fix: `show '${property}', or move it to another family`,
  }),
  derivedRows: (name: string, what: string) => ({
    problem: `${name} has ${what}, which writes through a view cannot keep up to date`,
    fix: `write through the table: db.repository(${name})`,
  }),
  wholeEntity: (name: string, what: string) => ({
    problem: `${what} needs the whole entity, and the view shows a part of it`,
    fix: `write through the table, db.repository(${name}), or show all columns`,
  }),
  hiddenColumn: (name: string, property: string) => ({
    problem: `each write of ${name} needs '${property}', which the view does not show`,
    fix: `show '${property}', or write through the table: db.repository(${name})`,
  }),
} satisfies FaultTexts;
