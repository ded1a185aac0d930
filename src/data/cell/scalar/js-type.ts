/** JavaScript types of the values of fields. */
import type { FieldKind } from './scalar-type.js';

/** The JavaScript type of a value, as it is written in TypeScript. */
export type JsType = 'number' | 'bigint' | 'boolean' | 'string' | 'Uint8Array' | 'Date';

/** The type of the values of each kind of field. */
export const jsTypes: Readonly<Record<FieldKind, JsType>> = {
  double: 'number',
  float: 'number',
  int32: 'number',
  uint32: 'number',
  sint32: 'number',
  fixed32: 'number',
  sfixed32: 'number',
  int64: 'bigint',
  uint64: 'bigint',
  sint64: 'bigint',
  fixed64: 'bigint',
  sfixed64: 'bigint',
  bool: 'boolean',
  string: 'string',
  bytes: 'Uint8Array',
  timestamp: 'Date',
};
