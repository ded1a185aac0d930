/**
 * The rows of the wire benchmarks: narrow ones (a packed message of about 120 bytes) and wide ones
 * (20 cells in 2 families).
 */
import { Column, Entity, Segment } from '../../decorators/index.js';
import { rowKey } from '../../src/entities/model/declaration/keys/row-key.js';
import { readingOf } from '../data-set.js';
import { Reading } from '../reading.js';

export { Reading };

/** Ten texts of 12 bytes, and ten int64. */
@Entity({ table: 'wide', families: { a: {}, b: {} } })
export class Wide {
  static readonly key = rowKey('tenant', 'n');
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 9_999_999 }) n!: number;
  @Column('a', 'string') text0?: string;
  @Column('a', 'string') text1?: string;
  @Column('a', 'string') text2?: string;
  @Column('a', 'string') text3?: string;
  @Column('a', 'string') text4?: string;
  @Column('a', 'string') text5?: string;
  @Column('a', 'string') text6?: string;
  @Column('a', 'string') text7?: string;
  @Column('a', 'string') text8?: string;
  @Column('a', 'string') text9?: string;
  @Column('b', 'int64') number0?: bigint;
  @Column('b', 'int64') number1?: bigint;
  @Column('b', 'int64') number2?: bigint;
  @Column('b', 'int64') number3?: bigint;
  @Column('b', 'int64') number4?: bigint;
  @Column('b', 'int64') number5?: bigint;
  @Column('b', 'int64') number6?: bigint;
  @Column('b', 'int64') number7?: bigint;
  @Column('b', 'int64') number8?: bigint;
  @Column('b', 'int64') number9?: bigint;
}

/** Names of the wide row's columns. */
export const wideTexts = Array.from({ length: 10 }, (_, i) => `text${i}`);
/** Names of the wide row's columns. */
export const wideNumbers = Array.from({ length: 10 }, (_, i) => `number${i}`);

/** Wide row `n`. */
export function wideOf(n: number): Wide {
  const row = Object.assign(new Wide(), { tenant: 'acme', n });
  for (let i = 0; i < 10; i++) {
    Object.assign(row, {
      [`text${i}`]: `value ${String((n * 10 + i) % 1_000_000).padStart(6, '0')}`,
      [`number${i}`]: BigInt(n) * 1_000_003n + BigInt(i),
    });
  }
  return row;
}

/** Narrow row `n`: 100 readings of a device are adjacent. */
export function narrowOf(n: number): Reading {
  return readingOf(Math.floor(n / 100), n % 100);
}
