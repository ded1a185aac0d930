/** `@Packed`: a message stored in one column. */
import {
  packed,
  type CellValue,
  type MessageSource,
  type PackedOptions,
} from '../src/entities/model/index.js';
import {
  propertyDecorator,
  type OptionalPropertyDecoratorOf,
  type PropertyDecoratorOf,
} from './property-decorator.js';

/**
 * One message, given as `() => Status` or any `{ encode, decode }`: the newest cell of the column.
 */
export function Packed<C extends MessageSource, R extends boolean = false>(
  family: string,
  message: C,
  options?: PackedOptions<CellValue<C>> & { readonly required?: R },
): true extends R ? PropertyDecoratorOf<CellValue<C>> : OptionalPropertyDecoratorOf<CellValue<C>> {
  const { declaration } = packed(family, message, options);
  return propertyDecorator('@Packed', (record, property, designType) =>
    record.columns.push({ ...declaration, property, designType }),
  );
}
