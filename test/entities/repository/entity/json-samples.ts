/** What the suites of JSON share. */
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  rowKey,
  Segment,
  unknownFields,
  type Version,
  Versions,
} from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';
import { instances } from '../../../tools/transfer/everything.js';

@Entity({ table: 'samples', families: { m: {}, c: {}, t: {}, h: {} } })
export class Sample {
  static readonly key = rowKey('id', 'at');
  @Segment('string') id!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') value?: number = 5;
  @Column('m', 'int64') big?: bigint;
  @Column('m', 'int32') small?: number;
  @Column('m', 'bool') on?: boolean;
  @Column('m', 'bytes') raw?: Uint8Array;
  @Column('m', 'timestamp') seen?: Date;
  @Column('m', 'json') extra?: unknown;
  @Column('m', 'string') name?: string | null;
  @Counter('c') hits?: bigint;
  @ColumnMap('t', 'int64') scores?: Map<string, bigint>;
  @Versions('h', 'double') history?: Version<number>[];
}

export const at = new Date('2026-11-22T10:00:00.000Z');
export const key = { id: 'a', at };
export const keyJson = { id: 'a', at: '2026-11-22T10:00:00.000Z' };
export const throughText = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Entities with counters, and with fields that their messages do not declare. */
export const entities = fc
  .tuple(instances, fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), fc.boolean())
  .map(([entity, counter, unknown]) => {
    if (counter !== null) Object.assign(entity, { plain: counter, added: -1n });
    if (unknown && entity.all !== undefined)
      Object.assign(entity.all, { [unknownFields]: Uint8Array.of(0xf8, 0x3f, 1) });
    return entity;
  });

export function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error as Error;
  }
}
