/**
 * Checks what a column reads besides its own cells: earlier qualifiers, a default, values of
 * earlier versions.
 */
import { equalBytes, printable, valueText } from '../../../base/index.js';
import {
  type CellCodec,
  CodecError,
  type MessageShape,
  currentVersion,
} from '../../../data/cell/index.js';
import type { Report } from './shared/build-context.js';
import type { ClassDeclaration, ColumnDeclaration } from '../declaration/declaration.js';

/** The columns, with the qualifiers that `@AlsoReads` adds to them. */
export function columnsWithEarlierNames(
  declaration: ClassDeclaration,
  report: Report,
): readonly ColumnDeclaration[] {
  for (const { property } of declaration.alsoReads) {
    if (!declaration.columns.some((column) => column.property === property))
      report(property, '@AlsoReads is used without @Column or @Packed', 'put both on the property');
  }
  return declaration.columns.map((column) => {
    const added = declaration.alsoReads
      .filter(({ property }) => property === column.property)
      .flatMap(({ qualifiers }) => qualifiers);
    return { ...column, alsoReads: [...(column.alsoReads ?? []), ...added] };
  });
}

/** Reports earlier qualifiers that the column cannot read in addition to its own. */
export function checkEarlierNames(
  { property, kind }: ColumnDeclaration,
  own: Uint8Array | undefined,
  earlier: readonly Uint8Array[],
  report: Report,
): void {
  if (earlier.length === 0) return;
  if (kind !== 'column' && kind !== 'packed') {
    report(
      property,
      `a column of kind ${kind} cannot read earlier qualifiers`,
      kind === 'columnMap'
        ? 'a column map reads its whole family: leave alsoReads out'
        : 'keep its qualifier, or move its cells with rowsmith migrate',
    );
  }
  earlier.forEach((qualifier, i) => {
    if (own !== undefined && equalBytes(qualifier, own))
      report(
        property,
        `alsoReads names '${printable(qualifier)}', which is its own qualifier`,
        'name only earlier qualifiers',
      );
    if (earlier.findIndex((other) => equalBytes(other, qualifier)) < i)
      report(
        property,
        `alsoReads names '${printable(qualifier)}' twice`,
        'name each qualifier once',
      );
  });
}

/**
 * The function that creates the default of a column; undefined without one. Reports a default that
 * rows would share, or that `codec` cannot encode.
 */
export function defaultOf(
  { property, default: value }: ColumnDeclaration,
  codec: CellCodec | undefined,
  report: Report,
): (() => unknown) | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'function') return value as () => unknown;
  if (value === null) {
    report(property, 'the default is null', 'leave the default out: an absent value is undefined');
    return undefined;
  }
  if (typeof value === 'object') {
    report(
      property,
      `the default is ${valueText(value)}`,
      'pass a function that creates one for each row: { default: () => new Date(0) }',
    );
    return undefined;
  }
  try {
    codec?.encode(value);
  } catch (fault) {
    if (!(fault instanceof CodecError)) throw fault;
    report(property, `the default cannot be stored: ${fault.problem}`, fault.fix);
  }
  const create = () => value;
  constants.add(create);
  return create;
}

/** Defaults that were declared as a value, not as a function. */
const constants = new WeakSet<() => unknown>();

/** Whether a default is the same value every time. */
export function isConstantDefault(create: () => unknown): boolean {
  return constants.has(create);
}

/**
 * The version of the values that a column writes; undefined if it has no upgrades. Reports faulty
 * upgrades.
 */
export function versionOf(
  { property, upgrades: declared }: ColumnDeclaration,
  message: MessageShape | undefined,
  report: Report,
): number | undefined {
  if (declared === undefined) return undefined;
  if (message === undefined) {
    report(
      property,
      'upgrades are declared for a custom codec',
      'use them with a column that packs a @Message class; a custom codec upgrades its own values',
    );
    return undefined;
  }
  const current = currentVersion(declared);
  const { version: field, upgrades } = declared;
  const fix =
    'declare both the field and the functions: ' +
    "{ version: 'version', upgrades: { 1: (stored) => stored } }";
  if (field === undefined) report(property, 'upgrades are declared without a version field', fix);
  else if (current === 1) report(property, 'a version field is declared without upgrades', fix);
  else if (typeof field !== 'string')
    report(
      property,
      `the version field is ${valueText(field)}`,
      "name a field: version: 'version'",
    );
  else if (!hasVersionField(message, field))
    report(
      property,
      `the version field '${field}' is not a uint32 field of ${message.name}`,
      `declare it in the message: @Field(15, 'uint32') ${field}?: number`,
    );
  for (let version = 1; version < current; version++) {
    if (typeof upgrades[version] !== 'function') {
      report(
        property,
        `there is no upgrade function from version ${version}`,
        'number the functions from 1 without gaps: each upgrades a value by one version',
      );
    }
  }
  return current;
}

function hasVersionField(message: MessageShape, name: string): boolean {
  const field = message.fields.find((each) => each.name === name);
  return (
    field?.label === 'singular' && field.type.kind === 'scalar' && field.type.scalar === 'uint32'
  );
}
