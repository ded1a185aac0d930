/**
 * Checks the names of declared options. Only JavaScript can pass others, and ignoring a misspelt
 * `gc` would keep what should expire.
 */
import { nearestName, quotedList } from '../../../base/index.js';
import type { ColumnDeclaration, EntityOptions } from '../../declaration/declaration.js';
import type { Report } from './build-context.js';

const entityOptions: readonly (keyof EntityOptions)[] = [
  'name',
  'table',
  'families',
  'keyFormat',
  'shards',
  'cellTimestamp',
  'marker',
  'lint',
];

const singleValue = ['qualifier', 'alsoReads', 'default'];
/** The options of each kind of column. */
export const columnOptions: Readonly<
  Record<ColumnDeclaration['kind'] | 'managed', readonly string[]>
> = {
  column: singleValue,
  packed: [...singleValue, 'version', 'upgrades'],
  columnMap: [],
  versions: ['qualifier'],
  counter: ['qualifier'],
  managed: ['qualifier'],
};

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
    report(property, `${owner} has no option '${name}'`, fix);
  }
}

/** Reports unknown options of an entity. */
export function checkEntityOptions(options: EntityOptions, report: Report): void {
  checkOptionNames('an entity', Object.keys(options), entityOptions, undefined, report);
  if (options.shards !== undefined)
    checkOptionNames('shards', Object.keys(options.shards), ['count', 'by'], undefined, report);
}
