/** `@ColumnMap`: a whole family as a Map. */
import { columnMap, type CellSource, type CellValue } from '../src/model/index.js';
import { propertyDecorator, type OptionalPropertyDecoratorOf } from './property-decorator.js';

/** Qualifiers as data: a `Map<string, T>` that fills a family of its own. */
export function ColumnMap<C extends CellSource>(
  family: string,
  type: C,
): OptionalPropertyDecoratorOf<ReadonlyMap<string, CellValue<C>>> {
  const { said } = columnMap(family, type);
  return propertyDecorator('@ColumnMap', (record, property, designType) =>
    record.columns.push({ ...said, property, designType }),
  );
}
