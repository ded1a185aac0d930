/** `@MapField`: a map in a message. */
import type { FieldValues, MapKeyKind } from '../src/cell/index.js';
import { mapField, type FieldSource, type FieldValue } from '../src/model/index.js';
import { propertyDecorator, type OptionalPropertyDecoratorOf } from './property-decorator.js';

/**
 * A Map; its keys have the named kind, its values the named type. Without a number the lock assigns
 * one.
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
  const { said } = mapField(...(parts as [number, MapKeyKind, FieldSource]));
  return propertyDecorator('@MapField', (record, property, designType) =>
    record.fields.push({ ...said, property, designType }),
  );
}
