/** `@Counter`: an int64 changed by increments. */
import { counter, type QualifierOptions } from '../src/model/index.js';
import { propertyDecorator, type OptionalPropertyDecoratorOf } from './property-decorator.js';

/**
 * A bigint: added up by Bigtable in an aggregate family, incremented by read-modify-write in a
 * plain one.
 */
export function Counter(
  family: string,
  options?: QualifierOptions,
): OptionalPropertyDecoratorOf<bigint> {
  const { said } = counter(family, options);
  return propertyDecorator('@Counter', (record, property, designType) =>
    record.columns.push({ ...said, property, designType }),
  );
}
