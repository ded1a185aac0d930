/** `@ColumnMap`: a whole family as a Map. */
import type { QualifierKind } from '../src/data/key/index.js';
import {
  columnMap,
  type CellSource,
  type CellValue,
  type MapKey,
  type MapOptions,
  type JudgedType,
  type SchemaOption,
} from '../src/entities/model/index.js';
import {
  type JudgedPropertyDecoratorOf,
  propertyDecorator,
  type OptionalPropertyDecoratorOf,
} from './property-decorator.js';

/**
 * Maps qualifiers to values: a `Map<string, T>`, or a Map with keys of the kind that `options`
 * declares. It needs a separate family.
 */
export function ColumnMap<
  C extends CellSource,
  Q extends QualifierKind = 'string',
  const M extends string = string,
  I = unknown,
>(
  family: string,
  type: C,
  options?: MapOptions<Q, M> & SchemaOption<I, CellValue<C> | null | undefined>,
): unknown extends I
  ? OptionalPropertyDecoratorOf<ReadonlyMap<MapKey<Q, M>, CellValue<C>>>
  : JudgedPropertyDecoratorOf<
      ReadonlyMap<MapKey<Q, M>, CellValue<C>>,
      ReadonlyMap<any, JudgedType<I>>,
      false
    > {
  const { declaration } = columnMap(family, type, options);
  return propertyDecorator('@ColumnMap', (record, property, designType) =>
    record.columns.push({ ...declaration, property, designType }),
  );
}
