/** Checks the rollups of an entity, and builds the models of their rows. */
import {
  compareBytes,
  latin1Text,
  literalText,
  quotedList,
  valueText,
  type FaultText,
  type FaultTexts,
  unitMs,
} from '../../../../base/index.js';
import { scalarCodec } from '../../../../data/cell/index.js';
import {
  buildKeyCodec,
  buildQualifierCodec,
  type KeyFormat,
  type KeyPart,
  type QualifierReader,
} from '../../../../data/key/index.js';
import type { FamilySchema } from '../../../../data/store/index.js';
import { type Report } from '../shared/build-context.js';
import type { Constructor } from '../../declaration/declaration.js';
import {
  isRollups,
  type RollupDeclaration,
  type RollupTime,
} from '../../declaration/derived/rollups.js';
import { deepFreeze, frozenMap } from '../shared/freeze.js';
import { tableOf } from './build-indexes.js';
import { entryColumns, versionFamily } from './entry-columns.js';
import type { ColumnModel, EntityModel, SegmentModel, RollupModel } from '../../model.js';
import {
  marksProperty,
  stateProperty,
  type RollupCell,
  rollupFamilies,
  rollupTokens,
} from '../../rollup-model.js';
import { RollupValues } from './rollup-values.js';

const noRollups: readonly RollupModel[] = Object.freeze([]);
const example =
  "static readonly rollups = rollups({ hourly: { by: ['device', { time: 'at', every: '1h' }], " +
  "values: { count: 'count' } } })";
const optionNames = ['by', 'values', 'table'];
const tableName = /^[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,49}$/;

/** What a rollup is declared over: the entity's own model, before it has rollups. */
export type RolledModel = Omit<EntityModel, 'rollups'>;

/** The checked rollups in the order of their declaration; faulty ones are reported and skipped. */
export function buildRollups(
  entityClass: Constructor,
  model: RolledModel,
  report: Report,
): readonly RollupModel[] {
  const { rollups } = entityClass as { readonly rollups?: unknown };
  if (rollups === undefined) return noRollups;
  if (!isRollups(rollups)) {
    report('rollups', faults.notRollups);
    return noRollups;
  }
  return Object.freeze(
    Object.entries(rollups).flatMap(([name, declared]) => {
      let valid = true;
      const reportProblem: ReportProblem = ({ problem, fix }) => {
        valid = false;
        report('rollups', faults.rollupFault(name, problem, fix));
      };
      const built = buildRollup(name, declared, model, reportProblem);
      return valid && built !== undefined ? [built] : [];
    }),
  );
}

/** Reports a fault of one rollup; `problem` continues a sentence about it. */
type ReportProblem = (fault: FaultText) => void;

function buildRollup(
  name: string,
  declared: RollupDeclaration | undefined,
  model: RolledModel,
  report: ReportProblem,
): RollupModel | undefined {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) report(faults.notAnIdentifier);
  if (name in Object.prototype) report(faults.inheritedName);
  if (typeof declared !== 'object' || declared === null) {
    report(faults.notAnObject);
    return undefined;
  }
  for (const option of Object.keys(declared))
    if (!optionNames.includes(option)) report(faults.unknownOption(option));
  const { table = `${model.table.name}_rollup` } = declared;
  if (typeof table !== 'string' || !tableName.test(table)) report(faults.wrongTable(table));
  const groups = checkGroups(declared.by, model, report);
  const values = checkValues(declared.values, model, groups?.by ?? [], report);
  if (groups === undefined || values === undefined) return undefined;
  const { by, time, width } = groups;
  const names = model.segments.map(({ property }) => property);
  const contiguous = by.every((segment, i) => segment === names[i]);
  const cells = Object.freeze([...values.cells.values()]);
  // Buckets of another width are separate rows, with other keys.
  const id = `${name}.${width / 1000}s`;
  const rows = rowsModel(name, { id, table, by, cells }, model, report);
  if (rows === undefined) return undefined;
  const results = Object.freeze(values.results.map((result) => Object.freeze(result)));
  return Object.freeze({ name, id, by, time, width, contiguous, cells, results, rows });
}

interface Groups {
  readonly by: readonly string[];
  readonly time: string;
  readonly width: number;
}

function checkGroups(by: unknown, model: RolledModel, report: ReportProblem): Groups | undefined {
  if (!Array.isArray(by) || by.length === 0) {
    report(faults.noGroups);
    return undefined;
  }
  const last = by[by.length - 1] as Partial<RollupTime> | null;
  const plain = by.slice(0, -1) as unknown[];
  if (typeof last !== 'object' || last === null || plain.some((each) => typeof each !== 'string')) {
    report(faults.noTimeAtEnd);
    return undefined;
  }
  const names = [...plain, last.time] as string[];
  const segments = names.map((each) => model.segments.find(({ property }) => property === each));
  const unknown = names.filter((_, i) => segments[i] === undefined);
  for (const each of unknown)
    report(
      faults.unknownGroup(
        each,
        model.segments.map(({ property }) => property),
      ),
    );
  const twice = names.find((each, i) => names.indexOf(each) < i);
  if (twice !== undefined) report(faults.groupTwice(twice));
  const width = checkTime(last, segments[segments.length - 1], report);
  if (unknown.length > 0 || twice !== undefined || width === undefined) return undefined;
  return { by: Object.freeze(names), time: names[names.length - 1], width };
}

/** The width of the time in milliseconds. */
function checkTime(
  { every, time, ...others }: Partial<RollupTime>,
  segment: SegmentModel | undefined,
  report: ReportProblem,
): number | undefined {
  for (const option of Object.keys(others)) report(faults.unknownTimeOption(option));
  const [, digits, unit] = /^(\d+)([smhd])$/.exec(typeof every === 'string' ? every : '') ?? [];
  const width = Number(digits) * unitMs[unit];
  const isWidth = width >= 1000 && width <= 366 * unitMs.d;
  if (!isWidth) report(faults.wrongInterval(every));
  if (segment === undefined) return undefined;
  const { kind, nullable } = segment.type;
  if (kind !== 'timestamp' && kind !== 'isoDate') {
    report(faults.notATime(time));
    return undefined;
  }
  if (nullable === true) {
    report(faults.nullableTime(time));
    return undefined;
  }
  return isWidth ? width : undefined;
}

function checkValues(
  declared: unknown,
  model: RolledModel,
  by: readonly string[],
  report: ReportProblem,
): RollupValues | undefined {
  if (typeof declared !== 'object' || declared === null || Object.keys(declared).length === 0) {
    report(faults.noValues);
    return undefined;
  }
  const values = new RollupValues(model);
  for (const [name, value] of Object.entries(declared)) {
    if (by.includes(name) || name === '__proto__') report(faults.valueNamedAsGroup(name));
    values.add(name, value, report);
  }
  return values;
}

interface RowsParts {
  readonly id: string;
  readonly by: readonly string[];
  readonly table: string;
  readonly cells: readonly RollupCell[];
}

/** The rows of a rollup as an entity: its key begins with the name of the rollup. */
function rowsModel(
  name: string,
  { id, table, by, cells }: RowsParts,
  model: RolledModel,
  report: ReportProblem,
): EntityModel | undefined {
  const segments = by.map((property) => model.segments.find((each) => each.property === property)!);
  const parts: KeyPart[] = [{ kind: 'literal', text: id }];
  for (const { property, type } of segments) parts.push({ kind: 'segment', name: property, type });
  const entity = `${model.name}.${name}`;
  // Delimited keys escape nothing, and the last part may be what they allow only there.
  const format: KeyFormat = model.key.spec.format === 'ordered' ? 'ordered' : 'text';
  const built = buildKeyCodec(deepFreeze({ format, parts }), entity);
  if ('faults' in built) {
    for (const { segment, problem, fix } of built.faults)
      report(faults.unfitKey(quotedList([segment ?? 'this']), problem, fix));
    return undefined;
  }
  const columns = [...cells.map((cell) => columnOf(cell, model)), ...stateColumns()];
  columns.sort(inStorageOrder);
  const rows: EntityModel = {
    name: entity,
    entityClass: Object.defineProperty(class {}, 'name', { value: entity }),
    table: Object.freeze({ name: table, families: familiesOf(cells) }),
    segments: Object.freeze(segments),
    key: built.codec,
    columns: Object.freeze(columns),
    patterns: Object.freeze([]),
    indexes: [],
    rollups: noRollups,
  };
  return Object.freeze(rows);
}

function columnOf(
  { kind, property, family, qualifier, source }: RollupCell,
  model: RolledModel,
): ColumnModel {
  if (kind !== 'first' && kind !== 'last')
    return Object.freeze({
      kind: 'counter',
      property,
      family,
      qualifier,
      codec: scalarCodec('int64'),
      aggregate: true,
    });
  const { codec, message } = model.columns.find((each) => each.property === source!.property)!;
  return Object.freeze({ kind: 'column', property, family, qualifier, codec, message });
}

/** Whether something is open in a bucket is read with its values. */
function stateColumns(): readonly ColumnModel[] {
  const built = buildQualifierCodec({ kind: 'string' });
  if (!('codec' in built)) return [];
  // Whatever bytes a damaged mark has, the values of its bucket can be read.
  const qualifiers = Object.freeze({ ...built.codec, reader: () => latin1Reader });
  const column = (property: string, family: string): ColumnModel =>
    Object.freeze({
      kind: 'columnMap',
      property,
      family,
      qualifiers,
      codec: scalarCodec('bytes'),
      aggregate: false,
    });
  return [column(marksProperty, rollupFamilies.mark), column(stateProperty, rollupFamilies.state)];
}

const latin1Reader: QualifierReader = (bytes, start, end) => latin1Text(bytes.subarray(start, end));

function familiesOf(cells: readonly RollupCell[]): ReadonlyMap<string, FamilySchema> {
  const families = new Map<string, FamilySchema>();
  const newest: FamilySchema = { gc: { kind: 'maxVersions', versions: 1 } };
  for (const { family } of cells) {
    const isPlain = family === rollupFamilies.first || family === rollupFamilies.last;
    const aggregate = family.slice(1) as 'sum' | 'min' | 'max';
    families.set(family, isPlain ? newest : { aggregate });
  }
  const { mark, log, state } = rollupFamilies;
  for (const family of [mark, log, state]) families.set(family, newest);
  const sorted = [...families].sort(([a], [b]) => (a < b ? -1 : 1));
  return frozenMap(sorted.map(([family, schema]) => [family, deepFreeze(schema)]));
}

function inStorageOrder(a: ColumnModel, b: ColumnModel): number {
  if (a.family !== b.family) return a.family < b.family ? -1 : 1;
  if (a.kind === 'columnMap' || b.kind === 'columnMap') return 0;
  return compareBytes(a.qualifier, b.qualifier);
}

const sevenDaysMicros = 7 * 86_400_000_000;

/**
 * The model with its rollups, and with the families that they need in its table. Tokens are kept
 * for longer than a mark may be left: see maxMarkAge in derived/rollup.
 */
export function withRollups(
  entityClass: Constructor,
  model: RolledModel,
  report: Report,
): EntityModel {
  const rollups = buildRollups(entityClass, model, report);
  if (rollups.length === 0) return { ...model, rollups };
  const { family: version } = entryColumns.version;
  const taken = [version, rollupTokens].find((family) => model.table.families.has(family));
  if (taken !== undefined) report('rollups', faults.reservedFamily(taken));
  const tokens: FamilySchema = { gc: { kind: 'maxAge', micros: sevenDaysMicros } };
  const table = tableOf(model.table.name, [
    ...model.table.families,
    [version, deepFreeze(versionFamily)],
    [rollupTokens, deepFreeze(tokens)],
  ]);
  return { ...model, rollups, table };
}

const faults = {
  notRollups: { problem: 'the rollups were not created with rollups()', fix: `write ${example}` },
  rollupFault: (name: string, problem: string, fix: string) => ({
    problem: `rollup '${name}' ${problem}`,
    fix,
  }),
  notAnIdentifier: {
    problem: 'is not an identifier',
    fix: 'start with a letter, and use letters, digits and _',
  },
  inheritedName: {
    problem: 'has the name of a property of every object',
    fix: 'give it another name',
  },
  notAnObject: { problem: 'is not an object', fix: `write ${example}` },
  unknownOption: (option: string) => ({
    problem: `has no option '${option}'`,
    fix: `the options are ${quotedList(optionNames)}`,
  }),
  wrongTable: (table: string) => ({
    problem: `is stored in ${literalText(table)}, which is not a table name`,
    fix: "name one of at most 50 characters: table: 'hourly'",
  }),
  noGroups: {
    problem: 'does not say what it groups by',
    fix: "write by: ['device', { time: 'at', every: '1h' }]",
  },
  noTimeAtEnd: {
    problem: 'does not end with its time',
    fix: "write the segments and then one time: by: ['device', { time: 'at', every: '1h' }]",
  },
  unknownGroup: (each: string, list: readonly string[]) => ({
    problem: `groups by ${valueText(each)}, which is not a segment of the key`,
    fix: `use some of ${quotedList(list)}`,
  }),
  groupTwice: (twice: string) => ({ problem: `groups by '${twice}' twice`, fix: 'name it once' }),
  unknownTimeOption: (option: string) => ({
    problem: `gives its time '${option}'`,
    fix: "write { time: 'at', every: '1h' }",
  }),
  wrongInterval: (every: undefined | string) => ({
    problem: `floors its time to ${valueText(every)}`,
    fix: "write a whole number of seconds, minutes, hours or days: '30s', '15m', '1h', '7d'",
  }),
  notATime: (time: undefined | string) => ({
    problem: `floors '${time}', which is not a Date`,
    fix: 'name a timestamp or isoDate segment',
  }),
  nullableTime: (time: undefined | string) => ({
    problem: `floors '${time}', which may be null`,
    fix: 'a reading without a time is in no group: leave nullable out',
  }),
  noValues: { problem: 'computes nothing', fix: "write values: { count: 'count' }" },
  valueNamedAsGroup: (name: string) => ({
    problem: `has a value '${name}', which names a group`,
    fix: 'give the value another name',
  }),
  unfitKey: (quotedListText: string, problem: string, fix: string) => ({
    problem: `cannot have ${quotedListText} in its key: ${problem}`,
    fix,
  }),
  reservedFamily: (taken: string) => ({
    problem: `the table declares family '${taken}', which rollups use`,
    fix: 'rename the family',
  }),
} satisfies FaultTexts;
