/** Entities of one table, of which one has got a wider segment. */
import { column, defineEntity, rowKey } from '../../../src/index.js';

/** The entity with numbers up to `max`, which gives them a width. */
export function orders(max: number) {
  class Order {
    shop = '';
    n = 0;
    status?: string;
  }
  return defineEntity(Order, {
    table: 'orders',
    families: { m: {} },
    key: rowKey('shop', 'n'),
    segments: { shop: { kind: 'string', maxLength: 40 }, n: { kind: 'uint', max } },
    columns: { status: column('m', 'string') },
  });
}

export const OldOrder = orders(9_999);
export const Order = orders(99_999);

/** It has the keys of orders, with a further segment. */
export const Note = defineEntity(
  class Note {
    shop = '';
    n = 0;
    part = 0;
    text?: string;
  },
  {
    table: 'orders',
    families: { m: {} },
    key: rowKey('shop', 'n', 'part'),
    segments: {
      shop: { kind: 'string', maxLength: 40 },
      n: { kind: 'uint', max: 99_999 },
      part: { kind: 'uint', max: 9 },
    },
    columns: { text: column('m', 'string') },
  },
);
