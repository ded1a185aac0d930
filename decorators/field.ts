/** `@Field`: a property of a message. */
import {
  field,
  type FieldOptions,
  type FieldSource,
  type FieldValue,
} from '../src/entities/model/index.js';
import { propertyDecorator, type OptionalPropertyDecoratorOf } from './property-decorator.js';

/**
 * A singular field with its protobuf number: `@Field(1, 'string')`. Without a number, the lock file
 * assigns one; without a type, it is inferred from `design:type`.
 */
export function Field<T extends FieldSource | undefined = undefined>(
  number: number,
  type?: T,
  options?: FieldOptions,
): OptionalPropertyDecoratorOf<FieldValue<T>>;
export function Field<T extends FieldSource | undefined = undefined>(
  type?: T,
  options?: FieldOptions,
): OptionalPropertyDecoratorOf<FieldValue<T>>;
export function Field<T>(...parts: unknown[]): OptionalPropertyDecoratorOf<FieldValue<T>> {
  const { declaration } = field(...(parts as [number]));
  return propertyDecorator('@Field', (record, property, designType) =>
    record.fields.push({ ...declaration, property, designType }),
  );
}
