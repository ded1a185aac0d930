/** `@Packed`: a message stored in one column. */
import {
  packed,
  type CellValue,
  type MessageSource,
  type PackedOptions,
} from '../src/entities/model/index.js';
import {
  type JudgedPropertyDecoratorOf,
  propertyDecorator,
  type OptionalPropertyDecoratorOf,
  type PropertyDecoratorOf,
} from './property-decorator.js';

/**
 * One message, given as `() => Status` or any `{ encode, decode }`: the newest cell of the column.
 */
export function Packed<C extends MessageSource, R extends boolean = false, I = unknown>(
  family: string,
  message: C,
  options?: PackedOptions<CellValue<C>, I> & { readonly required?: R },
): unknown extends I
  ? true extends R
    ? PropertyDecoratorOf<CellValue<C>>
    : OptionalPropertyDecoratorOf<CellValue<C>>
  : JudgedPropertyDecoratorOf<CellValue<C>, I, R> {
  const { declaration } = packed(family, message, options);
  return propertyDecorator('@Packed', (record, property, designType) =>
    record.columns.push({ ...declaration, property, designType }),
  );
}
