/** Checks the indexes of an entity, and describes their entries as an entity. */
import { createHash } from 'node:crypto';
import { copyBytes, valueText, type FaultTexts } from '../../../../base/index.js';
import {
  buildKeyCodec,
  type KeyFormat,
  type KeyPart,
  type SegmentKind,
  type SegmentOptions,
} from '../../../../data/key/index.js';
import type { FamilySchema } from '../../../../data/store/index.js';
import { isOptions } from '../../declaration/given-options.js';
import {
  isIndexes,
  type IndexDeclaration,
  type IndexPart,
} from '../../declaration/derived/indexes.js';
import type {
  ColumnModel,
  EntityModel,
  EntryColumns,
  EntryExpiry,
  IndexModel,
  SegmentModel,
} from '../../model.js';
import { duplicates, type Report } from '../shared/build-context.js';
import { maxTableNameLength, namePattern } from '../shared/build-table.js';
import { deepFreeze, frozenMap } from '../shared/freeze.js';
import { entryColumns, entryColumnsOf, entryFamily, versionFamily } from './entry-columns.js';
import { entryExpiry } from './entry-expiry.js';
import { defaultsOf } from './index-defaults.js';
import { indexStatesModel } from './index-states-model.js';
import { impliedType, columnOf, coveredColumns, type ReportProblem } from './index-columns.js';

/** The indexes of an entity that has none. */
export const noIndexes: readonly IndexModel[] = Object.freeze([]);

const indexesExample =
  "static readonly indexes = indexes({ byStatus: indexOn('tenant', 'status') })";

/** The property of an entry of a unique index that holds the base row's key. */
const holderProperty = '#row';

/** The model with its indexes, and with the families that they need in its table. */
export function withIndexes(model: EntityModel, report: Report): EntityModel {
  const { indexes } = model.entityClass as { readonly indexes?: unknown };
  if (indexes === undefined) return model;
  if (!isIndexes(indexes)) {
    report('indexes', faults.notIndexes);
    return model;
  }
  const built = Object.entries(indexes).flatMap(([name, declared]) => {
    const reportProblem: ReportProblem = ({ problem, fix }) =>
      report('indexes', faults.indexFault(name, problem, fix));
    return buildIndex(model, name, declared, reportProblem) ?? [];
  });
  if (built.length === 0) return model;
  const { version } = entryColumns;
  const tokens = built.map(({ own, expiry }) => [own.tokens, expiry?.age] as const);
  const families = new Map([
    ...model.table.families,
    ...tokens.map(([family, age]) => [family, deepFreeze(entryFamily(age))] as const),
    [version.family, deepFreeze(versionFamily)] as const,
  ]);
  const own = tokens.map(([family]) => family);
  // Rollups have added the version.
  if (model.rollups.length === 0) own.push(version.family);
  const taken = own.find((family) => model.table.families.has(family));
  if (taken !== undefined) report('indexes', faults.reservedFamily(taken));
  return {
    ...model,
    indexes: Object.freeze(built),
    table: tableOf(model.table.name, [...families]),
  };
}

export function tableOf(
  name: string,
  families: readonly (readonly [string, FamilySchema])[],
): EntityModel['table'] {
  const sorted = [...families].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.freeze({ name, families: frozenMap(sorted) });
}

function buildIndex(
  model: EntityModel,
  name: string,
  declared: unknown,
  report: ReportProblem,
): IndexModel | undefined {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) report(faults.notAName);
  if (name in Object.prototype) report(faults.inheritedName);
  const isDeclaration = typeof declared === 'object' && declared !== null && 'segments' in declared;
  if (!isDeclaration) {
    report(faults.notAnIndex);
    return undefined;
  }
  const declaration = declared as IndexDeclaration;
  const segments = segmentsOf(model, declaration, report);
  const covered = coveredColumns(model, declaration, segments, report);
  if (segments === undefined || covered === undefined) return undefined;
  return compileIndex(model, name, declaration, { segments, covered }, report);
}

interface IndexParts {
  /** The segments of the index, without the segments of the row key that follow. */
  readonly segments: readonly SegmentModel[];
  readonly covered: readonly ColumnModel[];
}

function compileIndex(
  model: EntityModel,
  name: string,
  { unique, table = `${model.table.name}_index` }: IndexDeclaration,
  { segments, covered }: IndexParts,
  report: ReportProblem,
): IndexModel | undefined {
  checkTableName(table, report);
  const names = segments.map(({ property }) => property);
  const rest = unique ? [] : model.segments.filter(({ property }) => !names.includes(property));
  const all = [...segments, ...rest];
  const format: KeyFormat = model.key.spec.format === 'ordered' ? 'ordered' : 'text';
  const coveredNames = covered.map(({ property }) => property);
  const defaults = defaultsOf(model, names, report);
  const expiry = entryExpiry(
    model,
    { segments, covered },
    (segment) => !isAlwaysPresent(model, segment),
    report,
  );
  // Rules of values change no bytes, and so no entries.
  const stored = all.map(({ rules: _rules, generate: _generate, ...segment }) => segment);
  const described: unknown[] = [model.key.spec, format, stored, unique, coveredNames];
  // Rows without a value have other entries if the default changes.
  if (defaults.length > 0) described.push(defaults);
  // Entries that were written by other rules expire too early.
  if (expiry !== undefined) described.push(describedExpiry(expiry));
  const id = `${name}.${fingerprint(described)}`;
  const parts: KeyPart[] = [{ kind: 'literal', text: id }];
  for (const { property, type } of all) parts.push({ kind: 'segment', name: property, type });
  const built = buildKeyCodec(deepFreeze({ format, parts }), `${model.name}.${name}`);
  if ('faults' in built) {
    for (const { segment, problem, fix } of built.faults)
      report(faults.keyFault(segment, problem, fix));
    return undefined;
  }
  const own = entryColumnsOf(expiry?.age);
  const family = deepFreeze(entryFamily(expiry?.age));
  const tableModel = tableOf(table, [
    [own.token.family, family],
    [own.covered, family],
  ]);
  const columns = model.columns.filter(
    ({ property }) => names.includes(property) || coveredNames.includes(property),
  );
  const entry: EntityModel = Object.freeze({
    name: `${model.name}.${name}`,
    entityClass: entryClass(`${model.name}.${name}`),
    table: tableModel,
    segments: deepFreeze(all),
    key: built.codec,
    columns: Object.freeze(storedColumns(own, unique, covered)),
    patterns: Object.freeze([]),
    indexes: noIndexes,
    rollups: [],
    marker: own.token,
  });
  return Object.freeze({
    name,
    id,
    unique,
    segments: Object.freeze(names),
    covered: Object.freeze(coveredNames),
    entry,
    states: indexStatesModel(table, format),
    own,
    expiry,
    columns: Object.freeze(columns),
    total: segments.every((segment) => isAlwaysPresent(model, segment)),
  });
}

function checkTableName(table: unknown, report: ReportProblem): void {
  const fix = ".in('name') gives the entries another table: at most 50 letters, digits, -, _ and .";
  if (typeof table !== 'string' || !namePattern.test(table)) report(faults.wrongTable(table, fix));
  else if (table.length > maxTableNameLength)
    report(faults.tableNameTooLong(table, table.length, fix));
}

/** Whether no row lacks a segment of an index. */
export function isAlwaysPresent(model: EntityModel, { property, type }: SegmentModel): boolean {
  if (model.key.names.includes(property) || type.nullable === true) return true;
  const column = model.columns.find((each) => each.property === property)!;
  return 'default' in column && column.default !== undefined;
}

/** A separate class for each index: models are known by their classes. */
function entryClass(name: string): EntityModel['entityClass'] {
  return { [name]: class {} }[name];
}

function describedExpiry({ ages, needed, lasts }: EntryExpiry): unknown {
  const all = needed.map(({ property }) => property);
  return { ages: [...ages].sort(([a], [b]) => (a < b ? -1 : 1)), all, lasts };
}

function storedColumns(
  own: EntryColumns,
  unique: boolean,
  covered: readonly ColumnModel[],
): ColumnModel[] {
  const columns = covered.map((column): ColumnModel =>
    Object.freeze({
      kind: 'column',
      property: column.property,
      family: own.covered,
      qualifier: Buffer.from(column.property),
      codec: column.codec,
      message: column.message,
      default: 'default' in column ? column.default : undefined,
    }),
  );
  columns.sort((a, b) => (a.property < b.property ? -1 : 1));
  if (!unique) return columns;
  const { family, qualifier } = own.holder;
  const bytes = {
    kind: 'bytes',
    encode: (value: unknown) => value as Uint8Array,
    // slice() of a Buffer is a view, which the next read overwrites.
    decode: copyBytes,
  };
  // Families are in byte order: `_c` is before `_e`.
  return [
    ...columns,
    { kind: 'column', property: holderProperty, family, qualifier, codec: bytes },
  ];
}

/** Short, and the same for the same stored entries. */
function fingerprint(parts: readonly unknown[]): string {
  const text = JSON.stringify(parts, (_name, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

function segmentsOf(
  model: EntityModel,
  { segments }: IndexDeclaration,
  report: ReportProblem,
): readonly SegmentModel[] | undefined {
  if (!Array.isArray(segments) || segments.length === 0) {
    report(faults.noSegment);
    return undefined;
  }
  const built = (segments as readonly IndexPart[]).map((part) => segmentOf(model, part, report));
  const repeated = duplicates(built.map((each) => each?.property)).filter(
    (name) => name !== undefined,
  );
  for (const name of repeated) report(faults.segmentTwice(name));
  if (built.includes(undefined) || repeated.length > 0) return undefined;
  return built as readonly SegmentModel[];
}

function segmentOf(
  model: EntityModel,
  part: IndexPart,
  report: ReportProblem,
): SegmentModel | undefined {
  const {
    segment: property,
    kind,
    ...options
  } = isOptions(part) ? (part as Exclude<IndexPart, string>) : { segment: part };
  if (typeof property !== 'string') {
    report(faults.wrongSegment(valueText(property)));
    return undefined;
  }
  const own = model.segments.find((each) => each.property === property);
  if (own !== undefined) return keySegment(own, kind, options, report);
  const column = columnOf(model, property, report);
  if (column === undefined) return undefined;
  if (property === model.managed?.revision) {
    report(faults.revisionSegment(property));
    return undefined;
  }
  const implied = kind === undefined ? impliedType(column) : { kind };
  if (implied === undefined) {
    report(faults.unorderedSegment(property, column.codec.kind));
    return undefined;
  }
  return { property, type: { ...implied, ...options } };
}

/** An entry leads to its row: a segment of the row key keeps its kind and all of its values. */
function keySegment(
  { property, type }: SegmentModel,
  kind: SegmentKind | undefined,
  options: SegmentOptions,
  report: ReportProblem,
): SegmentModel | undefined {
  const changed = Object.keys(options).find((name) => name !== 'order' && name !== 'reverseFrom');
  if (kind === undefined && changed === undefined)
    return { property, type: { ...type, ...options } };
  report(faults.changedSegment(property, changed));
  return undefined;
}

const faults = {
  notIndexes: {
    problem: 'the indexes were not created with indexes()',
    fix: `write ${indexesExample}`,
  },
  indexFault: (name: string, problem: string, fix: string) => ({
    problem: `index '${name}' ${problem}`,
    fix,
  }),
  reservedFamily: (taken: string) => ({
    problem: `the table declares family '${taken}', which indexes use`,
    fix: 'rename the family',
  }),
  notAName: { problem: 'is not a name', fix: 'start with a letter, and use letters, digits and _' },
  inheritedName: {
    problem: 'has the name of a property of every object',
    fix: 'give it another name',
  },
  notAnIndex: {
    problem: 'was not created with indexOn() or uniqueIndexOn()',
    fix: `write ${indexesExample}`,
  },
  keyFault: (segment: undefined | string, problem: string, fix: string) => ({
    problem:
      segment === undefined ? `has a fault: ${problem}` : `cannot hold '${segment}': ${problem}`,
    fix,
  }),
  wrongTable: (table: unknown, fix: string) => ({
    problem: `has the table ${valueText(table)}, which is not a name`,
    fix,
  }),
  tableNameTooLong: (table: string, length: number, fix: string) => ({
    problem: `has the table '${table}' with ${length} characters`,
    fix,
  }),
  noSegment: { problem: 'has no segment', fix: `name at least one property: ${indexesExample}` },
  segmentTwice: (name: string) => ({
    problem: `names '${name}' twice`,
    fix: 'name each property once',
  }),
  wrongSegment: (given: string) => ({
    problem: `has a segment that is ${given}`,
    fix: "name a property, or write { segment: 'at', order: 'desc' }",
  }),
  revisionSegment: (property: string) => ({
    problem: `names '${property}': a revision changes with each write`,
    fix: 'read the row by its key: save() and delete() compare the revision',
  }),
  unorderedSegment: (property: string, kind: string) => ({
    problem: `names '${property}', which holds ${kind} and has no order as bytes`,
    fix: 'index a scalar column: copy the value that you look for into one',
  }),
  changedSegment: (property: string, changed: undefined | string) => ({
    problem:
      `gives '${property}' ${changed === undefined ? 'another kind' : `the option '${changed}'`}, ` +
      'and a segment of the row key keeps its own',
    fix: `give its order, or its name alone: '${property}'`,
  }),
} satisfies FaultTexts;
