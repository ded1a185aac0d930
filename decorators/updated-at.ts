/** `@UpdatedAt`: when a row was last written. */
import { type QualifierOptions, updatedAt } from '../src/entities/model/index.js';
import { type OptionalPropertyDecoratorOf, propertyDecorator } from './property-decorator.js';

/**
 * The time of the last save, insert or patch, by the clock of the database. Increments,
 * additions and appends leave it as it is.
 */
export function UpdatedAt(
  family: string,
  options?: QualifierOptions,
): OptionalPropertyDecoratorOf<Date> {
  const { declaration } = updatedAt(family, options);
  return propertyDecorator('@UpdatedAt', (record, property, designType) =>
    record.columns.push({ ...declaration, property, designType }),
  );
}
