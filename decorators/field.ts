/** `@Field`: a property of a message. */
import { field, type FieldOptions, type FieldSource, type FieldValue } from '../src/model/field-definition.js';
import { propertyDecorator, type OptionalPropertyDecoratorOf } from './property-decorator.js';

/** A singular field with its protobuf number. Without a kind, `design:type` decides. */
export function Field<T extends FieldSource | undefined = undefined>(number: number, type?: T, options?: FieldOptions): OptionalPropertyDecoratorOf<FieldValue<T>> {
  const { said } = field(number, type, options);
  return propertyDecorator('@Field', (record, property, designType) => record.fields.push({ ...said, property, designType }));
}
