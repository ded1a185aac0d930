/** Messages without decorators. */
import { RowsmithError, valueText, type FaultTexts } from '../../../../base/index.js';
import { isDeclared, recordOn } from '../class-record.js';
import type { ClassDeclaration, Constructor } from '../declaration.js';
import type { FieldDefinition } from './field-definition.js';
import { isOptions, givenOptions } from '../given-options.js';

/** A registered symbol, because an application may load Rowsmith both as ESM and as CommonJS. */
const definedSymbol = Symbol.for('rowsmith.defined');

/** The protobuf name and the fields of a message. */
export interface MessageDefinition<M> {
  /** Full protobuf name; default: the name of the class. */
  readonly name?: string;
  /** Fields by property. */
  readonly fields: { readonly [P in keyof M]?: FieldDefinition<NonNullable<M[P]>> };
}

/**
 * Declares a class as a message, like `@Message` and `@Field`.
 * @example defineMessage(Status, { name: 'telemetry.Status', fields: { firmware: field(1, 'string')
 * } })
 */
export function defineMessage<C extends Constructor>(
  messageClass: C,
  definition: MessageDefinition<InstanceType<C>>,
): C {
  markDefined(messageClass, 'defineMessage');
  const record = recordOn(messageClass);
  const { name, fields } = givenOptions<MessageDefinition<InstanceType<C>>>(definition);
  record.message = name ?? true;
  recordFields(record, fields);
  return messageClass;
}

/** Records the fields; a field that no helper made is a fault. */
function recordFields(record: ClassDeclaration, fields: unknown): void {
  const given = givenOptions(fields as Readonly<Record<string, unknown>> | undefined);
  for (const [property, each] of Object.entries(given)) {
    const declaration = givenOptions(each as FieldDefinition | undefined).declaration;
    if (isOptions(declaration))
      record.fields.push({ ...declaration, property, designType: noDesignType });
    else if (each !== undefined)
      record.malformed.push({
        property,
        ...faults.notAField(valueText(each), property),
      });
  }
}

/** The design type of properties that are declared without decorators. */
export const noDesignType = (): undefined => undefined;

/**
 * Marks a class as declared by `call`. Throws INVALID_DECLARATION if it is not a class or is
 * declared already, by decorators or by another call.
 */
export function markDefined(subject: Constructor, call: string): void {
  // Arrow functions have no prototype.
  if (typeof subject !== 'function' || subject.prototype === undefined) {
    throw new RowsmithError('INVALID_DECLARATION', faults.notAClass(call, valueText(subject)));
  }
  const base = Object.getPrototypeOf(subject) as Constructor;
  const baseIsDeclared = typeof base === 'function' && isDeclared(base);
  if (Object.hasOwn(subject, definedSymbol) || (isDeclared(subject) && !baseIsDeclared)) {
    throw new RowsmithError('INVALID_DECLARATION', {
      entity: subject.name,
      ...faults.duplicateDeclaration(call),
    });
  }
  Object.defineProperty(subject, definedSymbol, { value: true });
}

const faults = {
  notAField: (given: string, property: string) => ({
    problem: `the field is ${given}, which field() has not made`,
    fix: `write ${property}: field(1, 'string')`,
  }),
  notAClass: (call: string, given: string) => ({
    problem: `${call} got ${given} instead of a class`,
    fix: `declare the class above ${call}; in a circular import, move it to a file of its own`,
  }),
  duplicateDeclaration: (call: string) => ({
    problem: 'the class is declared already',
    fix: `declare it once: with decorators, or with one ${call}`,
  }),
} satisfies FaultTexts;
