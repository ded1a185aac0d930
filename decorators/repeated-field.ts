/** `@RepeatedField`: a list in a message. */
import { repeatedField, type FieldSource, type FieldValue, type RepeatedFieldArguments } from '../src/model/field-definition.js';
import { propertyDecorator, type OptionalPropertyDecoratorOf } from './property-decorator.js';

/** An array; its elements have the named type. Without a number the lock assigns one. */
export function RepeatedField<T extends FieldSource>(...parts: RepeatedFieldArguments<T>): OptionalPropertyDecoratorOf<readonly FieldValue<T>[]> {
  const { said } = repeatedField(...parts);
  return propertyDecorator('@RepeatedField', (record, property, designType) => record.fields.push({ ...said, property, designType }));
}
