/** Checks the columns of an entity and gives each its codec. */
import { quotedList, maxQualifierBytes } from '../../base/index.js';
import {
  type CellCodec,
  foreignCodec,
  messageCodec,
  scalarCodec,
  versionedCodec,
  type MessageShape,
} from '../../cell/index.js';
import { compareBytes, noBytes } from '../../bytes/index.js';
import { type BuildContext, type Report } from './build-context.js';
import { buildMessage } from './build-message.js';
import { checkEarlierNames, defaultOf, versionOf } from './build-reading.js';
import { knownFamilies } from './build-table.js';
import type { ColumnDeclaration, CustomCodec } from '../declaration/declaration.js';
import {
  contradiction,
  impliedScalars,
  inferKind,
  scalarDesigns,
} from '../declaration/design-type.js';
import { resolveMessage } from '../declaration/message-class.js';
import type { ColumnModel, TableModel } from '../model.js';
import type { GcRule } from '../../store/index.js';

const decorators = {
  column: '@Column',
  packed: '@Packed',
  columnMap: '@ColumnMap',
  versions: '@Versions',
  counter: '@Counter',
} as const;
const messageCodecs = new WeakMap<MessageShape, CellCodec>();

/**
 * A column whose codec is made when the whole entity turned out well: message codecs ask for all
 * the shapes inside them.
 */
export interface PlannedColumn {
  readonly property: string;
  readonly family: string;
  /** Undefined for column maps. */
  readonly qualifier: Uint8Array | undefined;
  /** Earlier qualifiers that it reads. */
  readonly alsoReads: readonly Uint8Array[];
  /** Makes the model of the column. */
  readonly finish: () => ColumnModel;
}

interface Cell {
  readonly codec: () => CellCodec;
  readonly message?: MessageShape;
  readonly text: string;
  readonly designs: readonly unknown[];
}

/** The columns in the order of their cells: family, then qualifier, in byte order. */
export function buildColumns(
  said: readonly ColumnDeclaration[],
  table: TableModel,
  context: BuildContext,
  report: Report,
): PlannedColumn[] {
  const columns: PlannedColumn[] = [];
  for (const column of said) {
    checkFamilyOf(column, said, table, report);
    const cell = cellOf(column, context, report);
    const qualifier = column.kind === 'columnMap' ? undefined : qualifierOf(column, report);
    if (cell === undefined) continue;
    checkDesign(column, cell, report);
    const reading = readingOf(column, cell, qualifier, report);
    columns.push({
      property: column.property,
      family: column.family,
      qualifier,
      alsoReads: reading.alsoReads ?? [],
      finish: () => columnModel(column, cell, qualifier, reading, table),
    });
  }
  columns.sort((a, b) =>
    a.family === b.family
      ? compareBytes(a.qualifier ?? noBytes, b.qualifier ?? noBytes)
      : a.family < b.family
        ? -1
        : 1,
  );
  return columns;
}

/** The qualifier of markers, and of nothing else unless it is declared so. */

type Reading = Pick<
  Extract<ColumnModel, { readonly kind: 'column' | 'packed' }>,
  'alsoReads' | 'default' | 'version'
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
  // The codec of a message asks for shapes that may not be complete yet; what such a column
  // defaults to is made by a function.
  const makeDefault = defaultOf(
    column,
    cell.message === undefined ? cell.codec() : undefined,
    report,
  );
  const version = versionOf(column, cell.message, report);
  return {
    ...(alsoReads.length === 0 ? {} : { alsoReads }),
    ...(makeDefault === undefined ? {} : { default: makeDefault }),
    ...(version === undefined ? {} : { version }),
  };
}

function columnModel(
  column: ColumnDeclaration,
  cell: Cell,
  qualifier: Uint8Array | undefined,
  reading: Reading,
  table: TableModel,
): ColumnModel {
  const codec =
    column.upgrades === undefined || cell.message === undefined
      ? cell.codec()
      : versionedCodec(cell.codec(), cell.message, column.upgrades);
  const base = {
    property: column.property,
    family: column.family,
    codec,
    ...(cell.message === undefined ? {} : { message: cell.message }),
  };
  if (column.kind === 'columnMap' || qualifier === undefined)
    return Object.freeze({ ...base, kind: 'columnMap' });
  if (column.kind === 'counter')
    return Object.freeze({
      ...base,
      kind: 'counter',
      qualifier,
      aggregate: table.families.get(column.family)?.aggregate !== undefined,
    });
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
    report(property, `family ${JSON.stringify(family)} is not declared`, knownFamilies(table));
    return;
  }
  if (schema.aggregate !== undefined && kind !== 'counter') {
    report(
      property,
      `${decorators[kind]} is in the aggregate family '${family}', whose cells can only be added to`,
      'use @Counter there, or move the column to a plain family',
    );
  }
  if (schema.aggregate !== undefined && collectsByAge(schema.gc)) {
    report(
      property,
      `the aggregate family '${family}' is collected by age, and counters add up in one cell whose timestamp is 0`,
      'leave maxAge out of the rule of this family',
    );
  }
  const others = all.filter((other) => other.family === family && other.property !== property);
  if (kind === 'columnMap' && others.length > 0) {
    report(
      property,
      `@ColumnMap takes the whole family '${family}', but ${quotedList(others.map((other) => other.property))} is in it too`,
      'give the map a family of its own',
    );
  }
}

/**
 * True when the only cell of a column goes by its age: a number of versions never takes the newest.
 */
function collectsByAge(rule: GcRule | undefined): boolean {
  if (rule === undefined || rule.kind === 'maxVersions') return false;
  if (rule.kind === 'maxAge') return true;
  return rule.kind === 'union' ? rule.rules.some(collectsByAge) : rule.rules.every(collectsByAge);
}

function qualifierOf(
  { property, qualifier = property }: Pick<ColumnDeclaration, 'property' | 'qualifier'>,
  report: Report,
): Uint8Array {
  if (typeof qualifier === 'string' && !qualifier.isWellFormed()) {
    report(
      property,
      'the qualifier has half of a surrogate pair, which has no UTF-8',
      'write whole characters, or give the qualifier as bytes',
    );
  }
  const bytes =
    typeof qualifier === 'string'
      ? new TextEncoder().encode(qualifier)
      : Uint8Array.from(qualifier);
  if (bytes.length > maxQualifierBytes)
    report(
      property,
      `the qualifier has ${bytes.length} bytes, and Bigtable takes ${maxQualifierBytes}`,
      "give a short one: { qualifier: 't' }",
    );
  return bytes;
}

function cellOf(
  column: ColumnDeclaration,
  context: BuildContext,
  report: Report,
): Cell | undefined {
  const { type, property, kind, family } = column;
  const example = `${decorators[kind]}('${family}', `;
  switch (type.kind) {
    case 'codec':
      return { codec: () => type.codec, text: type.codec.kind, designs: [] };
    case 'foreign':
      return foreignCell(type.codec);
    case 'message':
      return messageCell(type.message, property, `${example}() => Status)`, context, report);
    case 'scalar':
      if (type.scalar in scalarDesigns) return scalarCell(type.scalar);
      report(
        property,
        `${JSON.stringify(type.scalar)} is not a kind of column`,
        `use one of ${quotedList(Object.keys(scalarDesigns))}`,
      );
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
      report(property, scalar.problem, scalar.fix);
      return undefined;
    }
  }
}

function scalarCell(scalar: keyof typeof scalarDesigns): Cell {
  return { codec: () => scalarCodec(scalar), text: `'${scalar}'`, designs: scalarDesigns[scalar] };
}

function foreignCell(codec: CustomCodec): Cell {
  const name =
    typeof codec === 'function' ? (codec as { readonly name: string }).name : 'foreign codec';
  return { codec: () => foreignCodec(codec, name), text: name, designs: [] };
}

function messageCell(
  source: unknown,
  property: string,
  example: string,
  context: BuildContext,
  report: Report,
): Cell | undefined {
  const found = resolveMessage(source, example, (problem, fix) => report(property, problem, fix));
  if (found === undefined) return undefined;
  if (typeof found !== 'function') return foreignCell(found);
  const message = buildMessage(found, context);
  return {
    codec: () => codecOf(message),
    message,
    text: `message ${message.name}`,
    designs: [found],
  };
}

function codecOf(message: MessageShape): CellCodec {
  const known = messageCodecs.get(message);
  if (known !== undefined) return known;
  const codec = messageCodec(message);
  messageCodecs.set(message, codec);
  return codec;
}

function checkDesign(
  { kind, property, designType }: ColumnDeclaration,
  cell: Cell,
  report: Report,
): void {
  const allowed = kind === 'columnMap' ? [Map] : kind === 'versions' ? [Array] : cell.designs;
  const finding = contradiction(
    designType,
    allowed,
    kind === 'columnMap' || kind === 'versions' ? decorators[kind] : cell.text,
  );
  if (finding !== undefined) report(property, finding.problem, finding.fix);
}
