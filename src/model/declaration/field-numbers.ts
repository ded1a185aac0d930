/**
 * Numbers of fields that are declared without one. The lock assigns and keeps them; `rowsmith check
 * --update` writes them as a module, and importing it makes them known. They are asked for when a
 * model is built, so the order of imports does not matter.
 */
import { RowsmithError } from '../../errors.js';
import { declarationOf, isDeclared } from './class-record.js';
import type { ClassDeclaration, Constructor } from './declaration.js';

/** Numbers by the full name of the message and the property. */
export type FieldNumbers = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** One registry for a process, also when it loads Rowsmith as ESM and as CommonJS. */
const REGISTRY = Symbol.for('rowsmith.fieldNumbers');

function registry(): Map<string, number> {
  const holder = globalThis as { [REGISTRY]?: Map<string, number> };
  return (holder[REGISTRY] ??= new Map<string, number>());
}

/**
 * Makes the numbers known: what `rowsmith.numbers.ts` calls. Saying the same again does nothing;
 * another number for a field is refused, because bytes may have been written with the first one.
 */
export function fieldNumbers(numbers: FieldNumbers): void {
  const known = registry();
  const said = Object.entries(numbers).flatMap(([message, fields]) =>
    Object.entries(fields).map(([property, number]) => ({ message, property, number })),
  );
  for (const { message, property, number } of said) {
    const other = known.get(`${message}.${property}`);
    if (other === undefined || other === number) continue;
    throw new RowsmithError('INVALID_DECLARATION', {
      entity: message,
      property,
      problem: `the field has number ${other} and is given ${number}`,
      fix: 'import one rowsmith.numbers.ts, the one written with the lock',
    });
  }
  for (const { message, property, number } of said) known.set(`${message}.${property}`, number);
}

/** The number of a field that is declared without one; undefined where none was assigned. */
export function assignedNumber(message: string, property: string): number | undefined {
  return registry().get(`${message}.${property}`);
}

/** The full name of a message. */
export function messageName(messageClass: Constructor, { message }: ClassDeclaration): string {
  return typeof message === 'string' ? message : messageClass.name;
}

/** A message with fields that have no number of their own. */
export interface UnnumberedMessage {
  readonly name: string;
  /** In the order of declaration. */
  readonly properties: readonly string[];
  /** Numbers that other fields of the class have. */
  readonly taken: readonly number[];
}

/**
 * The messages of entity classes that have fields without a number, nested ones too. Nothing is
 * checked, and nothing has to be known of numbers.
 */
export function unnumberedMessages(
  entityClasses: readonly Constructor[],
): readonly UnnumberedMessage[] {
  const seen = new Set<Constructor>();
  const found: UnnumberedMessage[] = [];
  const visit = (messageClass: Constructor): void => {
    if (seen.has(messageClass)) return;
    seen.add(messageClass);
    const said = declarationOf(messageClass);
    const properties = said.fields
      .filter(({ number }) => number === undefined)
      .map(({ property }) => property);
    if (properties.length > 0)
      found.push({
        name: messageName(messageClass, said),
        properties,
        taken: said.fields.flatMap(({ number }) => number ?? []),
      });
    for (const { type } of said.fields) if (typeof type === 'function') visitSource(type);
  };
  const visitSource = (source: () => unknown): void => {
    const given = isDeclared(source as unknown as Constructor) ? source : attempt(source);
    if (typeof given === 'function' && isDeclared(given as Constructor))
      visit(given as Constructor);
  };
  for (const entityClass of entityClasses) {
    if (typeof entityClass !== 'function') continue;
    for (const { type } of declarationOf(entityClass).columns)
      if (type.kind === 'message') visitSource(type.message);
  }
  return found;
}

/** What a source gives; undefined where it fails, which the build tells with its place. */
function attempt(source: () => unknown): unknown {
  try {
    return source();
  } catch {
    return undefined;
  }
}
