/** `@Versions`: the stored history of a column. */
import {
  versions,
  type CellSource,
  type CellValue,
  type QualifierOptions,
  type JudgedType,
  type SchemaOption,
  type Version,
} from '../src/entities/model/index.js';
import {
  type JudgedPropertyDecoratorOf,
  propertyDecorator,
  type OptionalPropertyDecoratorOf,
} from './property-decorator.js';

/** Every version that the family retains, newest first: `Version<T>[]`. */
export function Versions<C extends CellSource, I = unknown>(
  family: string,
  type: C,
  options?: QualifierOptions & SchemaOption<I, CellValue<C> | null | undefined>,
): unknown extends I
  ? OptionalPropertyDecoratorOf<readonly Version<CellValue<C>>[]>
  : JudgedPropertyDecoratorOf<
      readonly Version<CellValue<C>>[],
      readonly Version<JudgedType<I>>[],
      false
    > {
  const { declaration } = versions(family, type, options);
  return propertyDecorator('@Versions', (record, property, designType) =>
    record.columns.push({ ...declaration, property, designType }),
  );
}
