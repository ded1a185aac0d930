/** Where the declarations of two entities differ, as text. */
import { literalText } from '../../../base/index.js';
import type { EntityModel } from '../model.js';
import { canonicalForm, type Plain } from './canonical-form.js';

/**
 * Where two entities differ in what changes behaviour: `columns.title.family: 'm' and 's'`. Empty
 * for the same entity in two compilations.
 */
export function differencesOf(a: EntityModel, b: EntityModel): readonly string[] {
  const found: string[] = [];
  if (a.name !== b.name) found.push(`name: ${text(a.name)} and ${text(b.name)}`);
  collect(canonicalForm(a), canonicalForm(b), '', found);
  return found;
}

function collect(a: Plain | undefined, b: Plain | undefined, path: string, found: string[]): void {
  if (isTree(a) && isTree(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    for (const name of names)
      collect(a[name], b[name], path === '' ? name : `${path}.${name}`, found);
  } else if (text(a) !== text(b)) found.push(`${path}: ${text(a)} and ${text(b)}`);
}

type Tree = Readonly<Record<string, Plain | undefined>>;

function isTree(value: Plain | undefined): value is Plain & Tree {
  return typeof value === 'object' && value !== null;
}

function text(value: Plain | undefined): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? literalText(value) : JSON.stringify(value);
}
