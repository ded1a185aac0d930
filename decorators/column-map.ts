/** `@ColumnMap`: a whole family as a Map. */
import { columnMap, type CellSource, type CellValue } from '../src/model/index.js';
import { propertyDecorator, type OptionalPropertyDecoratorOf } from './property-decorator.js';

/** Maps qualifiers to values: a `Map<string, T>` that needs a family of its own. */
export function ColumnMap<C extends CellSource>(
  family: string,
  type: C,
): OptionalPropertyDecoratorOf<ReadonlyMap<string, CellValue<C>>> {
  const { declaration } = columnMap(family, type);
  return propertyDecorator('@ColumnMap', (record, property, designType) =>
    record.columns.push({ ...declaration, property, designType }),
  );
}
