/** What a write changes, property by property. */
import { isDeepStrictEqual } from 'node:util';
import type { EntityModel } from '../../../../entities/model/index.js';
import type { Terminal } from '../../../terminal/terminal.js';
import { printProperties, RowPrinter } from '../output/row-printer.js';
import { keyText } from '../output/missing-row.js';
import type { JsonValues } from './assignments.js';

/** A property with its values in JSON form; undefined is absent. */
export interface Difference {
  readonly property: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The differences of the columns of these properties. */
export function differences(
  properties: readonly string[],
  before: JsonValues | undefined,
  after: JsonValues,
): readonly Difference[] {
  return properties
    .map((property) => ({ property, before: before?.[property], after: after[property] }))
    .filter((each) => !isDeepStrictEqual(plain(each.before), plain(each.after)));
}

/** Without prototypes, and without the order of names, which do not count. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

/** A change of one row. */
interface RowChange {
  readonly model: EntityModel;
  readonly key: Readonly<Record<string, unknown>>;
  readonly isNew: boolean;
  readonly changes: readonly Difference[];
}

/** Shows a change to people; programs get it once it is made. */
export function showChange(terminal: Terminal, { model, key, isNew, changes }: RowChange): void {
  if (!terminal.isForPeople) return;
  terminal.print(`${isNew ? 'new ' : ''}${terminal.style.bold(model.name)} ${keyText(model, key)}`);
  const wide = { wide: false };
  if (isNew) {
    const values = changes.map(({ property, after }) => [property, after]);
    if (values.length > 0)
      printProperties(terminal, Object.fromEntries(values) as JsonValues, wide);
    return;
  }
  if (changes.length === 0) return;
  const printer = new RowPrinter(terminal, ['property', 'before', 'after'], wide);
  printer.print(changes.map((each) => ({ ...each })));
  printer.end();
}
