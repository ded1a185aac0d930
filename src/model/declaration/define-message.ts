/** Messages without decorators. */
import { RowsmithError } from '../../errors.js';
import { isDeclared, recordOn } from './class-record.js';
import type { Constructor } from './declaration.js';
import type { FieldDefinition } from './field-definition.js';

/** What defineMessage takes. */
export interface MessageDefinition<M> {
  /** Full protobuf name; default: the name of the class. */
  readonly name?: string;
  /** Fields by property. */
  readonly fields: { readonly [P in keyof M]?: FieldDefinition<NonNullable<M[P]>> };
}

/**
 * Declares a class as a message; the same as `@Message` and `@Field`.
 * @example defineMessage(Status, { name: 'telemetry.Status', fields: { firmware: field(1, 'string')
 * } })
 */
export function defineMessage<C extends Constructor>(
  messageClass: C,
  definition: MessageDefinition<InstanceType<C>>,
): C {
  refuseSecond(messageClass, 'defineMessage');
  const record = recordOn(messageClass);
  record.message = definition.name ?? true;
  for (const [property, each] of Object.entries<FieldDefinition | undefined>(definition.fields)) {
    if (each !== undefined)
      record.fields.push({ ...each.said, property, designType: nothingEmitted });
  }
  return messageClass;
}

/** Plain calls have no `design:type`. */
export const nothingEmitted = (): undefined => undefined;

/** A class is declared once: by decorators, or by one call. */
export function refuseSecond(subject: Constructor, call: string): void {
  if (typeof subject !== 'function') {
    throw new RowsmithError('INVALID_DECLARATION', {
      problem: `${call} got ${String(subject)} instead of a class`,
      fix: `declare the class above ${call}; in a circular import, move it to a file of its own`,
    });
  }
  const base = Object.getPrototypeOf(subject) as Constructor;
  if (
    Object.hasOwn(subject, declaredMark) ||
    (isDeclared(subject) && !(typeof base === 'function' && isDeclared(base)))
  ) {
    throw new RowsmithError('INVALID_DECLARATION', {
      entity: subject.name,
      problem: 'the class is declared already',
      fix: `declare it once: with decorators, or with one ${call}`,
    });
  }
  Object.defineProperty(subject, declaredMark, { value: true });
}

const declaredMark = Symbol.for('rowsmith.defined');
