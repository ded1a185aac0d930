/** Checks the columns of an entity and creates their codecs. */
import {
  compareBytes,
  isBytes,
  literalText,
  maxQualifierBytes,
  noBytes,
  quotedList,
  utf8Bytes,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import {
  type CellCodec,
  DateMap,
  customCodec,
  messageCodec,
  scalarCodec,
  versionedCodec,
  type MessageShape,
} from '../../../data/cell/index.js';
import { buildQualifierCodec, type QualifierCodec } from '../../../data/key/index.js';
import { type BuildContext, type Report } from './shared/build-context.js';
import { buildMessage } from './build-message.js';
import { reportOptions, columnOptions } from './shared/check-options.js';
import { checkEarlierNames, defaultOf, versionOf } from './build-reading.js';
import { columnRules } from './build-rules.js';
import { columnSchema } from './shared/build-schema.js';
import { knownFamilies } from './shared/build-table.js';
import type { ColumnDeclaration, CustomCodec } from '../declaration/declaration.js';
import {
  contradiction,
  impliedScalars,
  inferKind,
  scalarDesignTypes,
} from '../declaration/design-type.js';
import { resolveMessage } from '../declaration/messages/message-class.js';
import type { ColumnModel, SchemaModel, TableModel } from '../model.js';
import type { GcRule } from '../../../data/store/index.js';

const columnDecorators = {
  column: '@Column',
  packed: '@Packed',
  columnMap: '@ColumnMap',
  versions: '@Versions',
  counter: '@Counter',
} as const;
const managedDecorators = {
  revision: '@Revision',
  createdAt: '@CreatedAt',
  updatedAt: '@UpdatedAt',
} as const;
const messageCodecs = new WeakMap<MessageShape, CellCodec>();

/**
 * A checked column. Its codec is created only after the whole entity was found correct, because a
 * message codec needs the shapes of all messages inside it.
 */
export interface PlannedColumn {
  readonly property: string;
  readonly family: string;
  /** Undefined for column maps. */
  readonly qualifier: Uint8Array | undefined;
  /** Earlier qualifiers that it reads, newest first. */
  readonly alsoReads: readonly Uint8Array[];
  /** Creates the model of the column. */
  readonly finish: () => ColumnModel;
}

interface Cell {
  readonly codec: () => CellCodec;
  readonly message?: MessageShape;
  /** The declared type, for messages. */
  readonly text: string;
  /** The types that compilers may emit for it; an empty list allows any. */
  readonly designs: readonly unknown[];
}

/** The decorator that declares such a column, for messages. */
export function decoratorOf({ kind, role }: Pick<ColumnDeclaration, 'kind' | 'role'>): string {
  return role === undefined ? columnDecorators[kind] : managedDecorators[role];
}

/** The columns by family, then by qualifier, in byte order. */
export function buildColumns(
  declarations: readonly ColumnDeclaration[],
  table: TableModel,
  context: BuildContext,
  report: Report,
): PlannedColumn[] {
  const columns: PlannedColumn[] = [];
  for (const column of declarations) {
    checkFamilyOf(column, declarations, table, report);
    const { kind, role } = column;
    reportOptions(
      decoratorOf(column),
      column.options,
      columnOptions[role === undefined ? kind : 'managed'],
      column.property,
      report,
    );
    const cell = cellOf(column, context, report);
    const { qualifier, qualifiers } = namesOf(column, report);
    // A family that is not text was reported, and has no place in the order.
    if (cell === undefined || typeof column.family !== 'string') continue;
    checkDesign(column, cell, report);
    const reading = readingOf(column, cell, qualifier, report);
    const schema = columnSchema(column, table, report);
    columns.push({
      property: column.property,
      family: column.family,
      qualifier,
      alsoReads: reading.alsoReads ?? [],
      finish: () =>
        columnModel(column, { ...cell, schema }, { qualifier, qualifiers }, reading, table),
    });
  }
  return columns.sort(inStorageOrder);
}

function inStorageOrder(a: PlannedColumn, b: PlannedColumn): number {
  if (a.family !== b.family) return a.family < b.family ? -1 : 1;
  return compareBytes(a.qualifier ?? noBytes, b.qualifier ?? noBytes);
}

type Reading = Pick<
  Extract<ColumnModel, { readonly kind: 'column' | 'packed' }>,
  | 'alsoReads'
  | 'default'
  | 'version'
  | 'versionField'
  | 'rules'
  | 'required'
  | 'suggestions'
  | 'initial'
>;

/** What the column reads besides its own cells, checked. */
function readingOf(
  column: ColumnDeclaration,
  cell: Cell,
  qualifier: Uint8Array | undefined,
  report: Report,
): Reading {
  const alsoReads = (column.alsoReads ?? []).map((earlier) =>
    qualifierOf({ ...column, qualifier: earlier }, report),
  );
  checkEarlierNames(column, qualifier, alsoReads, report);
  // A message codec needs shapes that may not be complete yet. Its default is always a function, so
  // there is no value to check.
  const codec = cell.message === undefined ? cell.codec() : undefined;
  const reading: { -readonly [P in keyof Reading]: Reading[P] } = {
    default: defaultOf(column, codec, report),
  };
  Object.assign(reading, columnRules(column, codec, report));
  if (alsoReads.length > 0) reading.alsoReads = alsoReads;
  Object.assign(reading, versionOf(column, cell.message, report));
  return reading;
}

function columnModel(
  column: ColumnDeclaration,
  cell: Cell & { readonly schema: SchemaModel | undefined },
  { qualifier, qualifiers }: Named,
  reading: Reading,
  table: TableModel,
): ColumnModel {
  const { message } = cell;
  let codec = cell.codec();
  if (column.upgrades !== undefined && message !== undefined)
    codec = versionedCodec(codec, message, column.upgrades);
  const named = { property: column.property, family: column.family, codec, message };
  const base = cell.schema === undefined ? named : { ...named, schema: cell.schema };
  const aggregate = table.families.get(column.family)?.aggregate !== undefined;
  if (column.kind === 'columnMap' || qualifier === undefined)
    return Object.freeze({ ...base, kind: 'columnMap', qualifiers: qualifiers!, aggregate });
  if (column.kind === 'counter')
    return Object.freeze({ ...base, kind: 'counter', qualifier, aggregate });
  if (column.kind === 'versions') return Object.freeze({ ...base, kind: column.kind, qualifier });
  return Object.freeze({ ...base, kind: column.kind, qualifier, ...reading });
}

function checkFamilyOf(
  column: ColumnDeclaration,
  all: readonly ColumnDeclaration[],
  table: TableModel,
  report: Report,
): void {
  const { property, family, kind } = column;
  const schema = table.families.get(family);
  if (schema === undefined) {
    report(property, faults.unknownFamily(family, knownFamilies(table)));
    return;
  }
  if (schema.aggregate !== undefined && !isCounter(column)) {
    report(
      property,
      faults.columnInAggregateFamily(decoratorOf(column), family, counterFix(column)),
    );
  }
  if (schema.aggregate !== undefined && collectsByAge(schema.gc)) {
    report(property, faults.aggregateWithAge(family));
  }
  const others = all.filter((other) => other.family === family && other.property !== property);
  if (kind === 'columnMap' && others.length > 0) {
    const names = quotedList(others.map((other) => other.property));
    report(property, faults.sharedMapFamily(family, names));
  }
}

/** Whether an aggregate family can hold it: a counter, or a map of them. */
function isCounter({ kind, type }: ColumnDeclaration): boolean {
  if (kind === 'columnMap') return type.kind === 'scalar' && type.scalar === 'int64';
  return kind === 'counter';
}

function counterFix({ kind, role, family }: ColumnDeclaration): string {
  if (role !== undefined) return 'move it to a plain family';
  if (kind === 'columnMap')
    return `write @ColumnMap('${family}', 'int64'), or move the map to a plain family`;
  return 'use @Counter, or move the column to a plain family';
}

/**
 * True if the rule can delete the only cell of a column because of its age; maxVersions never
 * deletes the newest cell.
 */
function collectsByAge(rule: GcRule | undefined): boolean {
  if (rule === undefined || rule.kind === 'maxVersions') return false;
  if (rule.kind === 'maxAge') return true;
  if (rule.kind === 'union') return rule.rules.some(collectsByAge);
  return rule.rules.every(collectsByAge);
}

/** The name of a column, or the names in a map. */
interface Named {
  readonly qualifier?: Uint8Array | undefined;
  /** Undefined if its declaration has faults. */
  readonly qualifiers?: QualifierCodec | undefined;
}

function namesOf(column: ColumnDeclaration, report: Report): Named {
  if (column.kind !== 'columnMap') return { qualifier: qualifierOf(column, report) };
  const built = buildQualifierCodec(column.qualifiers ?? { kind: 'string' });
  if ('codec' in built) return { qualifiers: built.codec };
  for (const { problem, fix } of built.faults) report(column.property, { problem, fix });
  return {};
}

function qualifierOf(
  { property, qualifier = property }: Pick<ColumnDeclaration, 'property' | 'qualifier'>,
  report: Report,
): Uint8Array {
  if (typeof qualifier === 'string' && !qualifier.isWellFormed()) {
    report(property, faults.loneSurrogate);
  }
  if (typeof qualifier !== 'string' && !isBytes(qualifier)) {
    report(property, faults.wrongQualifier(valueText(qualifier)));
    return noBytes;
  }
  const bytes = qualifierBytes(qualifier);
  if (bytes.length > maxQualifierBytes) report(property, faults.qualifierTooLong(bytes.length));
  return bytes;
}

function qualifierBytes(qualifier: string | Uint8Array): Uint8Array {
  if (typeof qualifier === 'string') return utf8Bytes(qualifier);
  return Uint8Array.from(qualifier);
}

function cellOf(
  column: ColumnDeclaration,
  context: BuildContext,
  report: Report,
): Cell | undefined {
  const { type, property, kind, family } = column;
  const example = `${decoratorOf(column)}('${typeof family === 'string' ? family : 'm'}', `;
  switch (type.kind) {
    case 'codec':
      return { codec: () => type.codec, text: type.codec.kind, designs: [] };
    case 'custom':
      return customCell(type.codec);
    case 'message':
      return messageCell(type.message, property, `${example}() => Status)`, context, report);
    case 'scalar':
      if (typeof type.scalar === 'string' && Object.hasOwn(scalarDesignTypes, type.scalar))
        return scalarCell(type.scalar);
      report(property, faults.unknownKind(type.scalar));
      return undefined;
    case 'inferred': {
      if (kind !== 'column')
        return messageCell(undefined, property, `${example}() => Status)`, context, report);
      const scalar = inferKind(
        column.designType,
        impliedScalars,
        (named) => `${example}'${named}')`,
        'double',
      );
      if (typeof scalar === 'string') return scalarCell(scalar);
      report(property, { problem: scalar.problem, fix: scalar.fix });
      return undefined;
    }
  }
}

function scalarCell(scalar: keyof typeof scalarDesignTypes): Cell {
  return {
    codec: () => scalarCodec(scalar),
    text: `'${scalar}'`,
    designs: scalarDesignTypes[scalar],
  };
}

function customCell(codec: CustomCodec): Cell {
  // The name is recorded in lock files as the type of the column.
  const name =
    typeof codec === 'function' ? (codec as { readonly name: string }).name : 'foreign codec';
  return { codec: () => customCodec(codec, name), text: name, designs: [] };
}

function messageCell(
  source: unknown,
  property: string,
  example: string,
  context: BuildContext,
  report: Report,
): Cell | undefined {
  const resolved = resolveMessage(source, example, (fault) => report(property, fault));
  if (resolved === undefined) return undefined;
  if (typeof resolved !== 'function') return customCell(resolved);
  const message = buildMessage(resolved, context);
  return {
    codec: () => codecOf(message),
    message,
    text: `message ${message.name}`,
    designs: [resolved],
  };
}

function codecOf(message: MessageShape): CellCodec {
  const known = messageCodecs.get(message);
  if (known !== undefined) return known;
  const codec = messageCodec(message);
  messageCodecs.set(message, codec);
  return codec;
}

function checkDesign(column: ColumnDeclaration, cell: Cell, report: Report): void {
  const { kind, property, designType } = column;
  let allowed = cell.designs;
  let declared = cell.text;
  if (kind === 'columnMap' || kind === 'versions') {
    allowed = kind === 'columnMap' ? mapDesigns(column) : [Array];
    declared = decoratorOf(column);
  } else if (column.role !== undefined) {
    declared = decoratorOf(column);
  }
  const finding = contradiction(designType, allowed, declared);
  if (finding !== undefined) report(property, { problem: finding.problem, fix: finding.fix });
}

function mapDesigns({ qualifiers }: ColumnDeclaration): readonly unknown[] {
  if (qualifiers?.kind === 'timestamp') return [Map, DateMap];
  return [Map];
}

const faults = {
  unknownFamily: (family: string, knownFamiliesText: string) => ({
    problem: `family ${literalText(family)} is not declared`,
    fix: knownFamiliesText,
  }),
  columnInAggregateFamily: (decoratorOfText: string, family: string, counterFixText: string) => ({
    problem: `${decoratorOfText} is in the aggregate family '${family}', which only holds counters`,
    fix: counterFixText,
  }),
  aggregateWithAge: (family: string) => ({
    problem: `the gc rule of the aggregate family '${family}' deletes by age, and counter cells have timestamp 0`,
    fix: 'remove maxAge from the rule of this family',
  }),
  sharedMapFamily: (family: string, names: string) => ({
    problem: `@ColumnMap needs the whole family '${family}', but ${names} is in it too`,
    fix: 'give the map its own family',
  }),
  loneSurrogate: {
    problem: 'the qualifier contains a lone surrogate, which has no UTF-8 encoding',
    fix: 'write whole characters, or give the qualifier as bytes',
  },
  wrongQualifier: (given: string) => ({
    problem: `the qualifier is ${given}`,
    fix: "give text or bytes: { qualifier: 't' }",
  }),
  qualifierTooLong: (length: number) => ({
    problem: `the qualifier has ${length} bytes, and Bigtable allows ${maxQualifierBytes}`,
    fix: "give a short one: { qualifier: 't' }",
  }),
  unknownKind: (scalar: string) => ({
    problem: `${literalText(scalar)} is not a kind of column`,
    fix: `use one of ${quotedList(Object.keys(scalarDesignTypes))}`,
  }),
} satisfies FaultTexts;
