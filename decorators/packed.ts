/** `@Packed`: a message stored in one column. */
import {
  packed,
  type CellValue,
  type MessageSource,
  type PackedOptions,
} from '../src/entities/model/index.js';
import { propertyDecorator, type OptionalPropertyDecoratorOf } from './property-decorator.js';

/**
 * One message, given as `() => Status` or any `{ encode, decode }`: the newest cell of the column.
 */
export function Packed<C extends MessageSource>(
  family: string,
  message: C,
  options?: PackedOptions<CellValue<C>>,
): OptionalPropertyDecoratorOf<CellValue<C>> {
  const { declaration } = packed(family, message, options);
  return propertyDecorator('@Packed', (record, property, designType) =>
    record.columns.push({ ...declaration, property, designType }),
  );
}
