/** Rows of the benchmarks: narrow ones of three cells, and wide ones of a hundred. */
import { Column, Entity, Segment } from '../../decorators/index.js';
import { defineEntity } from '../../src/entities/model/define-entity.js';
import { column } from '../../src/entities/model/declaration/columns/column-definition.js';
import { rowKey } from '../../src/entities/model/declaration/keys/row-key.js';
import { maxVersions } from '../../src/entities/model/gc-rule.js';

/** `state` selects 1 % of the rows, `parity` 50 %. */
export interface Selectable {
  device: string;
  n: number;
  state?: string;
  parity?: string;
}

@Entity({ table: 'narrow', families: { a: { gc: maxVersions(1) } } })
export class Narrow implements Selectable {
  static readonly key = rowKey('device', 'n');
  @Segment('string') device!: string;
  @Segment('uint', { max: 9_999_999 }) n!: number;
  @Column('a', 'string') state?: string;
  @Column('a', 'string') parity?: string;
  @Column('a', 'double') value?: number;
}

const names = Array.from({ length: 98 }, (_, i) => `c${String(i).padStart(2, '0')}`);
const wideColumns = {
  state: column('a', 'string'),
  parity: column('a', 'string'),
  ...Object.fromEntries(names.map((name) => [name, column('a', 'string')])),
};
const segments = { device: 'string', n: { kind: 'uint', max: 9_999_999 } } as const;

class WideRow implements Selectable {
  device!: string;
  n!: number;
  state?: string;
  parity?: string;
}

/** A hundred columns of a hundred bytes. */
export const Wide = defineEntity(WideRow, {
  table: 'wide',
  families: { a: { gc: maxVersions(1) } },
  key: rowKey('device', 'n'),
  segments,
  columns: wideColumns,
});

class TwentyRow {
  device!: string;
  n!: number;
}

const twentyColumns = Object.fromEntries(
  Array.from({ length: 10 }, (_, i) => [
    [`text${i}`, column('a', 'string')] as const,
    [`number${i}`, column('b', 'int64')] as const,
  ]).flat(),
);

/** Twenty cells in two families, as in bench/live.ts. */
export const Twenty = defineEntity(TwentyRow, {
  table: 'twenty',
  families: { a: { gc: maxVersions(1) }, b: { gc: maxVersions(1) } },
  key: rowKey('device', 'n'),
  segments,
  columns: twentyColumns,
});

class FilteredTwentyRow extends TwentyRow {}

/** The same rows, declared so that both filters are needed: a family of others, several versions. */
export const FilteredTwenty = defineEntity(FilteredTwentyRow, {
  table: 'twenty',
  families: { a: {}, b: {}, c: {} },
  key: rowKey('device', 'n'),
  segments,
  columns: twentyColumns,
});

class FilteredNarrowRow {
  device!: string;
  n!: number;
  state?: string;
  parity?: string;
  value?: number;
}

/** The same for the narrow rows. */
export const FilteredNarrow = defineEntity(FilteredNarrowRow, {
  table: 'narrow',
  families: { a: {}, b: {} },
  key: rowKey('device', 'n'),
  segments,
  columns: {
    state: column('a', 'string'),
    parity: column('a', 'string'),
    value: column('a', 'double'),
  },
});

/** Rows of one device, which are adjacent. */
export const rowsPerDevice = 100;

function shared(i: number): Selectable {
  return {
    device: `device-${String(Math.floor(i / rowsPerDevice)).padStart(6, '0')}`,
    n: i % rowsPerDevice,
    state: i % 100 === 0 ? 'failed' : 'ok',
    parity: i % 2 === 0 ? 'even' : 'odd',
  };
}

/** Narrow row `i`. */
export function narrowOf(i: number): Narrow {
  return Object.assign(new Narrow(), shared(i), { value: i / 7 });
}

/** Wide row `i`. */
export function wideOf(i: number): WideRow {
  const row = Object.assign(new WideRow(), shared(i));
  for (const name of names) Object.assign(row, { [name]: `${name} of ${i} `.padEnd(100, 'x') });
  return row;
}

/** Row `i` of twenty cells. */
export function twentyOf(i: number): TwentyRow {
  const { device, n } = shared(i);
  const row = Object.assign(new TwentyRow(), { device, n });
  for (let c = 0; c < 10; c++)
    Object.assign(row, { [`text${c}`]: `value ${i % 997} ${c}`, [`number${c}`]: BigInt(i + c) });
  return row;
}
