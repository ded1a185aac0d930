/** `@Column`: a property stored in one column. */
import type { CellCodec, ScalarKind } from '../src/data/cell/index.js';
import { column, type CellValue, type ColumnOptions } from '../src/entities/model/index.js';
import { propertyDecorator, type OptionalPropertyDecoratorOf } from './property-decorator.js';

/**
 * One scalar value: the newest cell of the column. Without a kind, the kind is inferred from
 * `design:type`. An absent value stores no cell.
 */
export function Column<C extends ScalarKind | CellCodec | undefined = undefined>(
  family: string,
  kind?: C,
  options?: ColumnOptions<CellValue<C>>,
): OptionalPropertyDecoratorOf<CellValue<C>> {
  const { declaration } = column(family, kind, options);
  return propertyDecorator('@Column', (record, property, designType) =>
    record.columns.push({ ...declaration, property, designType }),
  );
}
