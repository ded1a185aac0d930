/** `@Column`: a property stored in one column. */
import type { CellCodec, ScalarKind } from '../src/data/cell/index.js';
import {
  column,
  type CellValue,
  type ColumnOptions,
  type JudgedType,
} from '../src/entities/model/index.js';
import {
  type JudgedPropertyDecoratorOf,
  propertyDecorator,
  type OptionalPropertyDecoratorOf,
  type PropertyDecoratorOf,
} from './property-decorator.js';

/**
 * One scalar value: the newest cell of the column. Without a kind, the kind is inferred from
 * `design:type`. An absent value stores no cell. A `required` column is on a property without `?`.
 */
export function Column<
  C extends ScalarKind | CellCodec | undefined = undefined,
  const M extends CellValue<C> = CellValue<C>,
  R extends boolean = false,
  I = unknown,
>(
  family: string,
  kind?: C,
  options?: ColumnOptions<CellValue<C>, M, I> & { readonly required?: R },
): unknown extends I
  ? true extends R
    ? PropertyDecoratorOf<M>
    : OptionalPropertyDecoratorOf<M>
  : JudgedPropertyDecoratorOf<M, JudgedType<I>, R> {
  const { declaration } = column(family, kind, options);
  return propertyDecorator('@Column', (record, property, designType) =>
    record.columns.push({ ...declaration, property, designType }),
  );
}
