/**
 * Numbers for fields that are declared without one: those of the lock, and the next free ones for
 * new fields.
 */
import type { FieldNumbers, UnnumberedMessage } from '../model/index.js';
import type { Lock } from './lock.js';

/** Protobuf keeps these for itself. */
const firstKept = 19_000;
const lastKept = 19_999;

/**
 * The numbers of every field without one. A field that the lock knows keeps its number; a new one
 * gets the number after all that were ever used.
 */
export function assignNumbers(lock: Lock, messages: readonly UnnumberedMessage[]): FieldNumbers {
  return Object.fromEntries(
    messages.map(({ name, properties, taken }): [string, Record<string, number>] => {
      const { fields = {}, reserved = {} } = lock.messages[name] ?? {};
      const known = new Map(
        [...Object.entries(reserved), ...Object.entries(fields)].map(([number, field]) => [
          field.name,
          Number(number),
        ]),
      );
      let last = Math.max(0, ...taken, ...known.values());
      const next = (): number =>
        (last = last + 1 >= firstKept && last < lastKept ? lastKept + 1 : last + 1);
      return [
        name,
        Object.fromEntries(properties.map((property) => [property, known.get(property) ?? next()])),
      ];
    }),
  );
}

/**
 * The module that makes the numbers known, for the project to import beside its entities. The same
 * numbers give the same text.
 */
export function numbersModule(numbers: FieldNumbers): string {
  const byName = <T>(values: Readonly<Record<string, T>>): [string, T][] =>
    Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  const messages = byName(numbers).map(([message, fields]) => {
    const lines = byName(fields)
      .sort(([, a], [, b]) => a - b)
      .map(([property, number]) => `    ${JSON.stringify(property)}: ${number},\n`);
    return `  ${JSON.stringify(message)}: {\n${lines.join('')}  },\n`;
  });
  return `// Written by rowsmith check --update from rowsmith.lock.json; import it beside the entities. Stored bytes depend on these numbers.
import { fieldNumbers } from 'rowsmith';

fieldNumbers({\n${messages.join('')}});\n`;
}
