/** `@Counter`: an int64 that is changed by increments. */
import { counter, type QualifierOptions, type MadeBy } from '../src/entities/model/index.js';
import {
  propertyDecorator,
  type OptionalPropertyDecoratorOf,
  valueType,
} from './property-decorator.js';

/**
 * A bigint counter: aggregated by Bigtable in an aggregate family, incremented with
 * ReadModifyWriteRow in a plain one.
 */
export function Counter(
  family: string,
  options?: QualifierOptions,
): OptionalPropertyDecoratorOf<bigint> {
  const { declaration } = counter(family, options);
  return propertyDecorator('@Counter', (record, property, designType) =>
    record.columns.push({
      ...declaration,
      property,
      designType: valueType(Counter, BigInt, designType),
    }),
  );
}

/** The type of a counter: `create` and `patch` do not take it. */
export type Counter = bigint & MadeBy<'library'>;
