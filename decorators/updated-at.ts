/** `@UpdatedAt`: when a row was last written. */
import { type QualifierOptions, updatedAt, type MadeBy } from '../src/entities/model/index.js';
import {
  type OptionalPropertyDecoratorOf,
  propertyDecorator,
  valueType,
} from './property-decorator.js';

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
    record.columns.push({
      ...declaration,
      property,
      designType: valueType(UpdatedAt, Date, designType),
    }),
  );
}

/** The type of the time of the last write: `create` and `patch` do not take it. */
export type UpdatedAt = Date & MadeBy<'library'>;
