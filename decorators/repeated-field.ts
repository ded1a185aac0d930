/** `@RepeatedField`: a list in a message. */
import { repeatedField, type FieldSource, type FieldValue } from '../src/entities/model/index.js';
import { propertyDecorator, type OptionalPropertyDecoratorOf } from './property-decorator.js';

/** An array with elements of `type`. Without a number, the lock file assigns one. */
export function RepeatedField<T extends FieldSource>(
  number: number,
  type: T,
): OptionalPropertyDecoratorOf<readonly FieldValue<T>[]>;
export function RepeatedField<T extends FieldSource>(
  type: T,
): OptionalPropertyDecoratorOf<readonly FieldValue<T>[]>;
export function RepeatedField<T>(
  ...parts: unknown[]
): OptionalPropertyDecoratorOf<readonly FieldValue<T>[]> {
  const { declaration } = repeatedField(...(parts as [number, FieldSource]));
  return propertyDecorator('@RepeatedField', (record, property, designType) =>
    record.fields.push({ ...declaration, property, designType }),
  );
}
