/** `@MapField`: a map in a message. */
import type { FieldValues, MapKeyKind } from '../src/data/cell/index.js';
import { mapField, type FieldSource, type FieldValue } from '../src/entities/model/index.js';
import { propertyDecorator, type OptionalPropertyDecoratorOf } from './property-decorator.js';

/**
 * A Map with keys of `keyKind` and values of `type`. Without a number, the lock file assigns one.
 */
export function MapField<K extends MapKeyKind, T extends FieldSource>(
  number: number,
  keyKind: K,
  type: T,
): OptionalPropertyDecoratorOf<ReadonlyMap<FieldValues[K], FieldValue<T>>>;
export function MapField<K extends MapKeyKind, T extends FieldSource>(
  keyKind: K,
  type: T,
): OptionalPropertyDecoratorOf<ReadonlyMap<FieldValues[K], FieldValue<T>>>;
export function MapField<K extends MapKeyKind, T>(
  ...parts: unknown[]
): OptionalPropertyDecoratorOf<ReadonlyMap<FieldValues[K], FieldValue<T>>> {
  const { declaration } = mapField(...(parts as [number, MapKeyKind, FieldSource]));
  return propertyDecorator('@MapField', (record, property, designType) =>
    record.fields.push({ ...declaration, property, designType }),
  );
}
