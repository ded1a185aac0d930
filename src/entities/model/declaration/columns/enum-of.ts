/** Enums for fields of packed messages. */
import { readOptions } from '../given-options.js';
import type { EnumDeclaration } from '../declaration.js';

/**
 * An open protobuf enum with the members of a TypeScript enum or of a record of numbers: `@Field(3,
 * enumOf(Mode))`. `name` is the full protobuf name; without it, the enum is nested in the message
 * and named after the field.
 */
export function enumOf<E extends Readonly<Record<string, string | number>>>(
  members: E,
  name?: string,
): EnumDeclaration<Extract<E[keyof E], number>> {
  type Value = Extract<E[keyof E], number>;
  // A numeric TypeScript enum also maps its numbers to names; member names are never numeric.
  const named = Object.entries(readOptions(members)).filter(([member]) => !/^-?\d+$/.test(member));
  return Object.freeze({ kind: 'enum', name, values: new Map(named as [string, Value][]) });
}
