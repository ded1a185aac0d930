/**
 * Checks what a column reads besides its own cells: earlier qualifiers, a default, values of
 * earlier versions.
 */
import { equalBytes, printable, valueText, type FaultTexts } from '../../../base/index.js';
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
      report(property, faults.alsoReadsAlone);
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
    report(property, faults.noEarlierQualifiers(kind));
  }
  earlier.forEach((qualifier, i) => {
    if (own !== undefined && equalBytes(qualifier, own))
      report(property, faults.ownQualifier(qualifier));
    if (earlier.findIndex((other) => equalBytes(other, qualifier)) < i)
      report(property, faults.qualifierTwice(qualifier));
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
    report(property, faults.nullDefault);
    return undefined;
  }
  if (typeof value === 'object') {
    report(property, faults.constantDefault(valueText(value)));
    return undefined;
  }
  try {
    codec?.encode(value);
  } catch (fault) {
    if (!(fault instanceof CodecError)) throw fault;
    report(property, faults.unstorableDefault(fault.problem, fault.fix));
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
 * The version of the values that a column writes, and its field; undefined if it has no upgrades,
 * because generators test whether a column has a version. Reports faulty upgrades.
 */
export function versionOf(
  { property, upgrades: declared }: ColumnDeclaration,
  message: MessageShape | undefined,
  report: Report,
): { readonly version: number; readonly versionField: string } | undefined {
  if (declared === undefined) return undefined;
  if (message === undefined) {
    report(property, faults.upgradesOfCodec);
    return undefined;
  }
  const current = currentVersion(declared);
  const { version: field, upgrades } = declared;
  const fix =
    'declare both the field and the functions: ' +
    "{ version: 'version', upgrades: { 1: (stored) => stored } }";
  if (field === undefined) report(property, faults.upgradesWithoutVersion(fix));
  else if (current === 1) report(property, faults.versionWithoutUpgrades(fix));
  else if (typeof field !== 'string') report(property, faults.wrongVersionField(valueText(field)));
  else if (!hasVersionField(message, field))
    report(property, faults.unfitVersionField(field, message.name));
  for (let version = 1; version < current; version++) {
    if (typeof upgrades[version] !== 'function') {
      report(property, faults.missingUpgrade(version));
    }
  }
  return { version: current, versionField: field };
}

function hasVersionField(message: MessageShape, name: string): boolean {
  const field = message.fields.find((each) => each.name === name);
  return (
    field?.label === 'singular' && field.type.kind === 'scalar' && field.type.scalar === 'uint32'
  );
}

const faults = {
  alsoReadsAlone: {
    problem: '@AlsoReads is used without @Column or @Packed',
    fix: 'put both on the property',
  },
  noEarlierQualifiers: (kind: string) => ({
    problem: `a column of kind ${kind} cannot read earlier qualifiers`,
    fix:
      kind === 'columnMap'
        ? 'a column map reads its whole family: leave alsoReads out'
        : 'keep its qualifier, or move its cells with rowsmith migrate',
  }),
  ownQualifier: (qualifier: Uint8Array) => ({
    problem: `alsoReads names '${printable(qualifier)}', which is its own qualifier`,
    fix: 'name only earlier qualifiers',
  }),
  qualifierTwice: (qualifier: Uint8Array) => ({
    problem: `alsoReads names '${printable(qualifier)}' twice`,
    fix: 'name each qualifier once',
  }),
  nullDefault: {
    problem: 'the default is null',
    fix: 'leave the default out: an absent value is undefined',
  },
  constantDefault: (given: string) => ({
    problem: `the default is ${given}`,
    fix: 'pass a function that creates one for each row: { default: () => new Date(0) }',
  }),
  unstorableDefault: (problem: string, fix: string) => ({
    problem: `the default cannot be stored: ${problem}`,
    fix,
  }),
  upgradesOfCodec: {
    problem: 'upgrades are declared for a custom codec',
    fix: 'use them with a column that packs a @Message class; a custom codec upgrades its own values',
  },
  upgradesWithoutVersion: (fix: string) => ({
    problem: 'upgrades are declared without a version field',
    fix,
  }),
  versionWithoutUpgrades: (fix: string) => ({
    problem: 'a version field is declared without upgrades',
    fix,
  }),
  wrongVersionField: (given: string) => ({
    problem: `the version field is ${given}`,
    fix: "name a field: version: 'version'",
  }),
  unfitVersionField: (field: string, name: string) => ({
    problem: `the version field '${field}' is not a uint32 field of ${name}`,
    fix: `declare it in the message: @Field(15, 'uint32') ${field}?: number`,
  }),
  missingUpgrade: (version: number) => ({
    problem: `there is no upgrade function from version ${version}`,
    fix: 'number the functions from 1 without gaps: each upgrades a value by one version',
  }),
} satisfies FaultTexts;
