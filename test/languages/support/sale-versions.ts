/** An entity in versions that differ in the key and in the kind of a column. */
import { column, defineEntity, type EntityClass, literal, rowKey } from '../../../src/index.js';

/** Of declarations that the compiler does not know. */
const declare = defineEntity as unknown as (made: object, options: object) => EntityClass;

const shop = { kind: 'string', minLength: 1 };
const day = { kind: 'uint', width: 8 };

/** Versions of a declaration: each has another key, and another kind of a column. */
export const versions: readonly (readonly [
  kind: string,
  options: object,
  key?: readonly unknown[],
])[] = [
  ['string', { segments: { shop, day } }],
  ['int32', { segments: { shop, day, till: 'string' } }],
  ['double', { segments: { day, shop } }],
  ['int64', { segments: { shop, day: { kind: 'uint', width: 6 } } }],
  ['bool', { segments: { shop, day: { kind: 'isoDate', precision: 'day' } } }],
  ['date', { segments: { shop, day }, keyFormat: 'ordered' }],
  ['timestamp', { segments: { shop, day }, shards: { count: 16, by: ['shop'] } }],
  ['json', { segments: { shop, day } }, [literal('sale'), 'shop', 'day']],
  ['uint32', { segments: { shop, day: { ...day, order: 'desc' } } }],
];
export const Sales = versions.map(([kind, options, key], i) =>
  declare(class {}, {
    ...options,
    name: `Sale${i}`,
    table: `sale${i}`,
    families: { m: {} },
    key: rowKey(...((key ?? Object.keys((options as { segments: object }).segments)) as [never])),
    columns: { amount: column('m', kind as 'string') },
  }),
);

export const noon = new Date(Date.UTC(2026, 10, 28, 12));
export const amounts: Readonly<Record<string, unknown>> = {
  string: 'twelve',
  int32: -12,
  double: 0.5,
  int64: -(2n ** 63n),
  bool: true,
  date: '2026-11-28',
  timestamp: noon,
  json: [12],
  uint32: 2 ** 32 - 1,
};
