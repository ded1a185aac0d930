/**
 * Numbers of fields that are declared without one. The lock file assigns and records them;
 * `rowsmith check --update` writes them as a module, which registers them when it is imported. They
 * are looked up when a model is built, so the order of imports does not matter.
 */
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { declarationOf, isDeclared } from '../class-record.js';
import type { ClassDeclaration, Constructor } from '../declaration.js';

/** The range of field numbers that protobuf reserves for its implementation, both inclusive. */
export const firstReservedNumber = 19_000;
export const lastReservedNumber = 19_999;

/** Field numbers by the full name of the message and the property. */
export type FieldNumbers = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** One registry per process, even if it loads Rowsmith both as ESM and as CommonJS. */
const registrySymbol = Symbol.for('rowsmith.fieldNumbers');

function registry(): Map<string, number> {
  const holder = globalThis as { [registrySymbol]?: Map<string, number> };
  return (holder[registrySymbol] ??= new Map<string, number>());
}

/**
 * Registers field numbers; `rowsmith.numbers.ts` calls it. Registering the same number again has no
 * effect. Throws INVALID_DECLARATION for a different number of a registered field, because stored
 * bytes may use the first one.
 */
export function fieldNumbers(numbers: FieldNumbers): void {
  const known = registry();
  const entries = Object.entries(numbers).flatMap(([message, fields]) =>
    Object.entries(fields).map(([property, number]) => ({ message, property, number })),
  );
  for (const { message, property, number } of entries) {
    const other = known.get(`${message}.${property}`);
    if (other === undefined || other === number) continue;
    throw new RowsmithError('INVALID_DECLARATION', {
      entity: message,
      property,
      ...faults.fieldNumberMismatch(other, number),
    });
  }
  for (const { message, property, number } of entries) known.set(`${message}.${property}`, number);
}

/** The registered number of a field; undefined if it has none. */
export function assignedNumber(message: string, property: string): number | undefined {
  return registry().get(`${message}.${property}`);
}

/** The full name of a message. */
export function messageName(messageClass: Constructor, { message }: ClassDeclaration): string {
  return typeof message === 'string' ? message : messageClass.name;
}

/** A message with fields that are declared without a number. */
export interface UnnumberedMessage {
  readonly name: string;
  /** The fields without a number, in the order of declaration. */
  readonly properties: readonly string[];
  /** The numbers of the other fields. */
  readonly taken: readonly number[];
}

/**
 * The messages with unnumbered fields in the columns of entity classes, nested messages included.
 * Nothing is checked, and no numbers need to be registered.
 */
export function unnumberedMessages(
  entityClasses: readonly Constructor[],
): readonly UnnumberedMessage[] {
  const seen = new Set<Constructor>();
  const found: UnnumberedMessage[] = [];
  const visit = (messageClass: Constructor): void => {
    if (seen.has(messageClass)) return;
    seen.add(messageClass);
    const declaration = declarationOf(messageClass);
    const properties = declaration.fields
      .filter(({ number }) => number === undefined)
      .map(({ property }) => property);
    if (properties.length > 0)
      found.push({
        name: messageName(messageClass, declaration),
        properties,
        taken: declaration.fields.flatMap(({ number }) => number ?? []),
      });
    for (const { type } of declaration.fields) if (typeof type === 'function') visitSource(type);
  };
  const visitSource = (source: () => unknown): void => {
    const resolved = isDeclared(source as unknown as Constructor) ? source : attempt(source);
    if (typeof resolved === 'function' && isDeclared(resolved as Constructor))
      visit(resolved as Constructor);
  };
  for (const entityClass of entityClasses) {
    if (typeof entityClass !== 'function') continue;
    for (const { type } of declarationOf(entityClass).columns)
      if (type.kind === 'message') visitSource(type.message);
  }
  return found;
}

/** The result of a source; undefined if it throws, which buildModel reports. */
function attempt(source: () => unknown): unknown {
  try {
    return source();
  } catch {
    return undefined;
  }
}

const faults = {
  fieldNumberMismatch: (other: number, number: number) => ({
    problem: `the field is registered with number ${other}, and now with ${number}`,
    fix: 'import only the rowsmith.numbers.ts that was written with the lock file',
  }),
} satisfies FaultTexts;
