/**
 * Checks what a column reads besides its own cells: earlier qualifiers, a default, values of
 * earlier versions.
 */
import { valueText } from '../../base/index.js';
/**
 * Checks what a column reads besides its own cells: earlier qualifiers, a default, values of
 * earlier versions.
 */
import { equalBytes, printable } from '../../bytes/index.js';
import { type CellCodec, CellFault, type MessageShape, currentVersion } from '../../cell/index.js';
import type { Report } from './build-context.js';
import type { ClassDeclaration, ColumnDeclaration } from '../declaration/declaration.js';

/** The columns with what `@AlsoReads` says of them. */
export function columnsWithEarlierNames(
  said: ClassDeclaration,
  report: Report,
): readonly ColumnDeclaration[] {
  for (const { property } of said.alsoReads) {
    if (!said.columns.some((column) => column.property === property))
      report(property, '@AlsoReads stands without @Column or @Packed', 'put both on the property');
  }
  return said.columns.map((column) => {
    const more = said.alsoReads
      .filter(({ property }) => property === column.property)
      .flatMap(({ qualifiers }) => qualifiers);
    return more.length === 0
      ? column
      : { ...column, alsoReads: [...(column.alsoReads ?? []), ...more] };
  });
}

/** Reports earlier qualifiers that cannot be read beside the column's own. */
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
      `a column of kind ${kind} cannot also read another qualifier`,
      kind === 'columnMap'
        ? 'a column map reads its whole family: leave alsoReads out'
        : 'keep its qualifier, or move its cells with rowsmith migrate',
    );
  }
  earlier.forEach((qualifier, i) => {
    if (own !== undefined && equalBytes(qualifier, own))
      report(
        property,
        `it also reads '${printable(qualifier)}', which is its own qualifier`,
        'name the qualifiers it had before',
      );
    if (earlier.findIndex((other) => equalBytes(other, qualifier)) < i)
      report(property, `it also reads '${printable(qualifier)}' twice`, 'name each qualifier once');
  });
}

/**
 * What makes the default of a column; undefined without one. Reports one that rows would share, or
 * that the column cannot hold.
 */
export function defaultOf(
  { property, default: said }: ColumnDeclaration,
  codec: CellCodec | undefined,
  report: Report,
): (() => unknown) | undefined {
  if (said === undefined) return undefined;
  if (typeof said === 'function') return said as () => unknown;
  if (said === null || typeof said === 'object') {
    report(
      property,
      `the default is ${valueText(said)}`,
      said === null
        ? 'leave the default out: an absent value is undefined'
        : 'give a function that makes one for each row: { default: () => new Date(0) }',
    );
    return undefined;
  }
  try {
    codec?.encode(said);
  } catch (fault) {
    if (!(fault instanceof CellFault)) throw fault;
    report(property, `the default cannot be stored: ${fault.problem}`, fault.fix);
  }
  return () => said;
}

/**
 * The version that a column writes; undefined where it has no upgrades. Reports faults of their
 * declaration.
 */
export function versionOf(
  { property, upgrades: said }: ColumnDeclaration,
  message: MessageShape | undefined,
  report: Report,
): number | undefined {
  if (said === undefined) return undefined;
  const fix =
    "name the field and give the functions: { version: 'version', upgrades: { 1: (stored) => stored } }";
  if (message === undefined) {
    report(
      property,
      'upgrades are given for a codec that is not ours',
      'give them to a column that packs a @Message class; a codec of your own upgrades by itself',
    );
    return undefined;
  }
  const current = currentVersion(said);
  const field = message.fields.find(({ name }) => name === said.version);
  if (said.version === undefined || current === 1) {
    report(
      property,
      said.version === undefined
        ? 'upgrades are given without the field that holds the version'
        : 'a version is named without upgrades',
      fix,
    );
  } else if (
    field === undefined ||
    field.label !== 'singular' ||
    field.type.kind !== 'scalar' ||
    field.type.scalar !== 'uint32'
  ) {
    report(
      property,
      `the version is to be in '${said.version}', which is no uint32 field of ${message.name}`,
      `declare it in the message: @Field(15, 'uint32') ${said.version}?: number`,
    );
  }
  for (let version = 1; version < current; version++) {
    if (typeof said.upgrades[version] !== 'function') {
      report(
        property,
        `there is no upgrade function from version ${version}`,
        'number them from 1 on without gaps: each brings a value one version up',
      );
    }
  }
  return current;
}
