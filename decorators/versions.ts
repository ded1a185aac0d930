/** `@Versions`: the stored history of a column. */
import {
  versions,
  type CellSource,
  type CellValue,
  type QualifierOptions,
} from '../src/model/declaration/column-definition.js';
import type { Version } from '../src/model/declaration/version.js';
import { propertyDecorator, type OptionalPropertyDecoratorOf } from './property-decorator.js';

/** Every version the family keeps, newest first: `Version<T>[]`. */
export function Versions<C extends CellSource>(
  family: string,
  type: C,
  options?: QualifierOptions,
): OptionalPropertyDecoratorOf<readonly Version<CellValue<C>>[]> {
  const { said } = versions(family, type, options);
  return propertyDecorator('@Versions', (record, property, designType) =>
    record.columns.push({ ...said, property, designType }),
  );
}
