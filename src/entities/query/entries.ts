/** Parts of column maps in a selection: which entries, and what of them. */
import { isDate, valueText, type FaultTexts } from '../../base/index.js';
import {
  type QualifierCondition,
  QualifierError,
  type QualifierRange,
} from '../../data/key/index.js';
import type { ColumnModel, EntityModel } from '../model/index.js';
import type { EntrySlice, EntryForm } from './query-spec.js';
import { checkCount, queryError } from './query-error.js';

/** Which entries of a column map, by their keys; all of them by default. */
export interface EntryRange<Q> {
  /** The smallest key, inclusive, in the order of values even if the keys are descending. */
  readonly from?: Q;
  /** The end of the keys, exclusive. */
  readonly to?: Q;
  /** Text keys: keys that start with this text. Not together with `from` and `to`. */
  readonly startsWith?: Q & string;
  /** Leaves out this many entries at the start: a whole number of at least 1. */
  readonly offset?: number;
  /**
   * Maximum number of entries, at least 1: the first ones in stored order. With `order: 'desc'`
   * these are the greatest keys, or the newest.
   */
  readonly limit?: number;
}

/** A part of the column map P in a selection: of `entriesOf`, `entryKeysOf`, `entryCountOf`. */
export interface Entries<P extends string = string, Q = unknown, F extends EntryForm = EntryForm> {
  readonly entriesOf: P;
  readonly form: F;
  readonly range: EntryRange<Q>;
}

/** Selects a part of a column map: `select(entriesOf('prices', { from, to }))`. */
export function entriesOf<const P extends string, const Q = never>(
  map: P,
  range: EntryRange<Q> = {},
): Entries<P, NoInfer<Q>, 'entries'> {
  return { entriesOf: map, form: 'entries', range };
}

/** Selects only the keys of entries, as an array; values are not transferred. */
export function entryKeysOf<const P extends string, const Q = never>(
  map: P,
  range: EntryRange<Q> = {},
): Entries<P, NoInfer<Q>, 'keys'> {
  return { entriesOf: map, form: 'keys', range };
}

/** Selects the number of entries; values are not transferred. */
export function entryCountOf<const P extends string, const Q = never>(
  map: P,
  range: EntryRange<Q> = {},
): Entries<P, NoInfer<Q>, 'count'> {
  return { entriesOf: map, form: 'count', range };
}

const rangeOptions = ['from', 'to', 'startsWith', 'offset', 'limit'];

/** Checks a part of a column map. Throws INVALID_QUERY and INVALID_ARGUMENT. */
export function checkEntries(model: EntityModel, given: Entries): EntrySlice {
  const property: unknown = given.entriesOf;
  const column = mapColumn(model, property);
  const range: unknown = given.range;
  if (typeof range !== 'object' || range === null)
    throw queryError(model, column.property, faults.wrongRange(range));
  const { from, to, startsWith, offset, limit } = range as EntryRange<unknown>;
  checkRangeOptions(model, column, range);
  const condition = { from: copyOf(from), to: copyOf(to), startsWith };
  const slice = { property: column.property, form: given.form, condition };
  return Object.freeze({
    ...slice,
    range: qualifierRange(model, column, condition),
    offset: offset === undefined ? undefined : checkCount(model, 'offset', offset, maxCells),
    limit: limit === undefined ? undefined : checkCount(model, 'limit', limit, maxCells),
  });
}

/** Changing a Date afterwards has no effect. */
function copyOf(key: unknown): unknown {
  return isDate(key) ? new Date(key) : key;
}

/** Bigtable's filters count cells in an int32. */
const maxCells = 0x7fff_ffff;

type MapColumn = Extract<ColumnModel, { readonly kind: 'columnMap' }>;

function mapColumn(model: EntityModel, property: unknown): MapColumn {
  const column = model.columns.find((candidate) => candidate.property === property);
  if (column?.kind === 'columnMap') return column;
  const maps = model.columns.filter(({ kind }) => kind === 'columnMap');
  let fix = `${model.name} has no column map`;
  if (maps.length > 0) fix = `use one of ${maps.map((map) => map.property).join(', ')}`;
  throw queryError(
    model,
    typeof property === 'string' ? property : 'select',
    faults.notAColumnMap(property, fix),
  );
}

function checkRangeOptions(model: EntityModel, column: MapColumn, range: object): void {
  const { property, qualifiers } = column;
  for (const [name, value] of Object.entries(range)) {
    if (!rangeOptions.includes(name)) throw queryError(model, property, faults.unknownOption(name));
    if (value === undefined) throw queryError(model, property, faults.undefinedOption(name));
  }
  if (!('startsWith' in range)) return;
  if (qualifiers.type.kind !== 'string')
    throw queryError(model, property, faults.notTextKeys(qualifiers.type.kind));
  if ('from' in range || 'to' in range)
    throw queryError(model, property, faults.startsWithAndRange);
}

function qualifierRange(
  model: EntityModel,
  { property, qualifiers }: MapColumn,
  condition: QualifierCondition,
): QualifierRange | undefined {
  try {
    return qualifiers.range(condition);
  } catch (error) {
    if (!(error instanceof QualifierError)) throw error;
    throw queryError(model, property, { problem: error.message, fix: error.fix });
  }
}

/** True for what `entriesOf`, `entryKeysOf` and `entryCountOf` return. */
export function isEntries(value: unknown): value is Entries {
  return (
    typeof value === 'object' &&
    value !== null &&
    'entriesOf' in value &&
    ['entries', 'keys', 'count', 'list'].includes((value as Entries).form)
  );
}

/** A slice in words: `prices from 5 to 9, first 10, keys only`. */
export function sliceText({ property, form, condition, offset, limit }: EntrySlice): string {
  const { from, to, startsWith } = condition;
  let text = property;
  if (from !== undefined) text += ` from ${keyText(from)}`;
  if (to !== undefined) text += ` to ${keyText(to)}`;
  if (startsWith !== undefined) text += ` that start with ${keyText(startsWith)}`;
  if (offset !== undefined) text += `, without the first ${offset}`;
  if (limit !== undefined) text += `, first ${limit}`;
  if (form === 'keys') text += ', keys only';
  if (form === 'count') text += ', counted';
  return text;
}

function keyText(key: unknown): string {
  if (isDate(key)) return key.toISOString();
  if (typeof key === 'string') return `'${key}'`;
  if (typeof key === 'bigint') return `${key}n`;
  return String(key);
}

const faults = {
  wrongRange: (range: unknown) => ({
    problem: `the range is ${valueText(range)}`,
    fix: 'write { from, to }, or leave the range out',
  }),
  notAColumnMap: (property: unknown, fix: string) => ({
    problem: `entries are read from a column map, and ${valueText(property)} is not a column map`,
    fix,
  }),
  unknownOption: (name: string) => ({
    problem: `a range of entries has no option '${name}'`,
    fix: `use ${rangeOptions.join(', ')}`,
  }),
  undefinedOption: (name: string) => ({
    problem: `${name} is undefined, which never widens a query`,
    fix: 'pass a value, or leave it out',
  }),
  notTextKeys: (kind: string) => ({
    problem: `startsWith needs text keys, and these are of kind ${kind}`,
    fix: 'use from and to',
  }),
  startsWithAndRange: {
    problem: 'startsWith cannot be combined with from and to',
    fix: 'leave out startsWith, or from and to',
  },
} satisfies FaultTexts;
