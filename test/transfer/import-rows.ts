/** The entity that the suites of imports write, and its rows. */
import { IsOptional, Max } from 'class-validator';
import { Column, ColumnMap, Entity, maxVersions, rowKey, Segment } from '../../src/index.js';
import { buildModel } from '../../src/model/index.js';

@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) }, t: {} } })
export class Reading {
  static readonly key = rowKey('device', 'at');
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') @IsOptional() @Max(100) temperature?: number;
  @Column('m', 'int64') count?: bigint;
  @Column('m', 'string') note = 'a default of the class';
  @ColumnMap('t', 'string') tags?: Map<string, string>;
}

export const model = buildModel(Reading);
export const good =
  '{"device":"d","at":"2026-01-01T00:00:00.000Z","temperature":1.5,"count":"9007199254740993","tags":{"a":"b"}}';
