/**
 * Checks the names of declared options. Only JavaScript can pass unknown names, and ignoring a
 * misspelt `gc` would keep what should expire.
 */
import { nearestName, quotedList, valueText, type FaultTexts } from '../../../../base/index.js';
import type { ColumnDeclaration, EntityOptions } from '../../declaration/declaration.js';
import { isOptions, givenOptions } from '../../declaration/given-options.js';
import { valueOptionNames } from '../../declaration/value-options.js';
import type { Report } from './build-context.js';

const entityOptions: readonly (keyof EntityOptions)[] = [
  'name',
  'table',
  'families',
  'keyFormat',
  'shards',
  'cellTimestamp',
  'expiresAt',
  'marker',
  'mustExist',
  'lint',
  'schema',
];

const singleValue = ['qualifier', 'alsoReads', 'default'];
/** The options of each kind of column. */
export const columnOptions: Readonly<
  Record<ColumnDeclaration['kind'] | 'managed', readonly string[]>
> = {
  column: [...singleValue, ...valueOptionNames, 'schema'],
  packed: [...singleValue, 'required', 'initial', 'version', 'upgrades', 'schema'],
  // Which of them a kind of qualifiers has is checked with that kind.
  columnMap: ['qualifiers', 'order', 'width', 'max', 'unit', 'values', 'by', 'schema'],
  versions: ['qualifier', 'schema'],
  counter: ['qualifier'],
  managed: ['qualifier'],
};

/** Reports options that are not an object, and names that are not `known`; undefined is none. */
export function reportOptions(
  owner: string,
  given: unknown,
  known: readonly string[],
  property: string | undefined,
  report: Report,
): void {
  if (given === undefined) return;
  if (isOptions(given)) checkOptionNames(owner, Object.keys(given), known, property, report);
  else report(property, faults.wrongOptions(owner, valueText(given), known));
}

/** Reports the names that are not `known` options of `owner`. */
export function checkOptionNames(
  owner: string,
  names: readonly string[],
  known: readonly string[],
  property: string | undefined,
  report: Report,
): void {
  for (const name of names) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    let fix = `use ${quotedList(known)}`;
    if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
    report(property, faults.unknownOption(owner, name, fix));
  }
}

/** Reports unknown options of an entity. */
export function checkEntityOptions(options: EntityOptions, report: Report): void {
  reportOptions('an entity', options, entityOptions, undefined, report);
  reportOptions('shards', givenOptions(options).shards, ['count', 'by'], undefined, report);
}

const faults = {
  wrongOptions: (owner: string, given: string, known: readonly string[]) => ({
    problem: `the options of ${owner} are ${given}`,
    fix: `leave them out, or give an object with ${quotedList(known)}`,
  }),
  unknownOption: (owner: string, name: string, fix: string) => ({
    problem: `${owner} has no option '${name}'`,
    fix,
  }),
} satisfies FaultTexts;
