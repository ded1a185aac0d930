/** `@CreatedAt`: when a row was first written. */
import { createdAt, type QualifierOptions, type MadeBy } from '../src/entities/model/index.js';
import {
  type OptionalPropertyDecoratorOf,
  propertyDecorator,
  valueType,
} from './property-decorator.js';

/**
 * The time of the insert or of the first save, by the clock of the database. An entity that has a
 * value, because it was read, keeps it.
 */
export function CreatedAt(
  family: string,
  options?: QualifierOptions,
): OptionalPropertyDecoratorOf<Date> {
  const { declaration } = createdAt(family, options);
  return propertyDecorator('@CreatedAt', (record, property, designType) =>
    record.columns.push({
      ...declaration,
      property,
      designType: valueType(CreatedAt, Date, designType),
    }),
  );
}

/** The type of the time of creation: `create` and `patch` do not take it. */
export type CreatedAt = Date & MadeBy<'library'>;
