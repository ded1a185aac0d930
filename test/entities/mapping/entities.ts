/** An entity with all kinds of columns, in a table with more families than it maps. */
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  Field,
  maxVersions,
  Message,
  Packed,
  rowKey,
  Segment,
  aggregate,
  table,
  type Version,
  Versions,
} from '../../../src/index.js';

@Message('mapping.Position')
export class Position {
  @Field(1, 'double') lat?: number;
  @Field(2, 'double') lon?: number;
}

/** A custom codec: text as UTF-16. */
export const utf16 = {
  encode: (text: string): Uint8Array => Buffer.from(text, 'utf16le'),
  decode: (bytes: Uint8Array): string => {
    if (bytes.length % 2 !== 0) throw new RangeError('half a unit');
    return Buffer.from(bytes).toString('utf16le');
  },
};

/** Families a, c, e, g, i and k are not mapped. They sort before, between and after mapped ones. */
export const things = table('things', {
  families: {
    a: {},
    b: { gc: maxVersions(9) },
    c: {},
    d: {},
    e: {},
    f: { gc: maxVersions(9) },
    g: {},
    h: {},
    i: {},
    j: aggregate('sum'),
    k: {},
  },
});

@Entity({ table: things })
export class Thing {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;

  @Column('b', 'string') text?: string | null;
  @Column('b', 'bytes') bytes?: Uint8Array;
  @Column('b', 'bool') bool?: boolean;
  @Column('b', 'int32') int32?: number;
  @Column('b', 'uint32') uint32?: number;
  @Column('b', 'int64') int64?: bigint;
  @Column('b', 'double') double?: number;
  @Column('b', 'float') float?: number;
  @Column('b', 'timestamp') timestamp?: Date;
  @Column('b', 'date') date?: string;
  @Column('b', 'json', { qualifier: 'm' }) json?: unknown;
  @Column('b', 'string', { qualifier: Uint8Array.of(0, 255) }) binaryName?: string;
  @Packed('d', () => Position) position?: Position;
  @Packed('d', utf16) custom?: string;
  @Versions('f', 'double') history?: Version<number>[];
  @Versions('f', () => Position) track?: Version<Position>[];
  @ColumnMap('h', 'int32') scores?: Map<string, number>;
  @Counter('d') plain?: bigint;
  @Counter('j') added?: bigint;
}

export const full = {
  id: 'full',
  text: 'gr\u00fc\u00df \u{1F600}',
  bytes: Uint8Array.of(0, 1, 255),
  bool: false,
  int32: -5,
  uint32: 4_294_967_295,
  int64: -(2n ** 63n),
  double: -0.1,
  float: 0.5,
  timestamp: new Date(1234567890123),
  date: '2026-11-20',
  json: { a: [1, null, 'x'] },
  binaryName: 'b',
  position: { lat: 1.5, lon: -2 },
  custom: 'utf16 \u20ac',
  history: [
    { at: new Date(3000), value: 3 },
    { at: new Date(1000), value: 1 },
  ],
  track: [{ at: new Date(5), value: { lat: 1 } }],
  scores: new Map([
    ['', 0],
    ['a', 1],
    ['\u{1F600}', 2],
    ['z', -3],
  ]),
};
