/** Assigns numbers to fields that are declared without one. */
import {
  type FieldNumbers,
  firstReservedNumber,
  lastReservedNumber,
  type UnnumberedMessage,
} from '../../../entities/model/index.js';
import type { Lock } from './lock.js';

/**
 * The numbers of all fields that are declared without one. A field in the lock keeps its number; a
 * new field gets the number after all that were ever used in the message.
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
      const next = (): number => {
        last = numberAfter(last);
        return last;
      };
      return [
        name,
        Object.fromEntries(properties.map((property) => [property, known.get(property) ?? next()])),
      ];
    }),
  );
}

function numberAfter(number: number): number {
  const next = number + 1;
  if (next >= firstReservedNumber && next <= lastReservedNumber) return lastReservedNumber + 1;
  return next;
}

const numbersHeader =
  '// Written by rowsmith check --update from rowsmith.lock.json; import it beside the entities. ' +
  'Stored bytes depend on these numbers.';

/**
 * The source of `rowsmith.numbers.ts`, which registers the numbers; the project imports it beside
 * its entities. The same numbers give the same text.
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
  return `${numbersHeader}
import { fieldNumbers } from 'rowsmith/wire';

fieldNumbers({\n${messages.join('')}});\n`;
}
