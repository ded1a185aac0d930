/** Times outside the ranges of TypeScript or of a language. */
import {
  column,
  defineEntity,
  type EntityClass,
  Field,
  MapField,
  Message,
  RepeatedField,
  rollups,
  rowKey,
  versions,
} from '../../../src/index.js';

class TideRows {
  static readonly rollups = rollups({
    hourly: { by: [{ time: 'at', every: '1h' }], values: { newest: { max: 'high' } } },
  });
}

/** Of declarations that the compiler does not know. */
const declare = defineEntity as unknown as (made: object, options: object) => EntityClass;

/** Times wherever a message can have them. */
@Message('garden.Harvest')
export class Harvest {
  @Field(1, 'timestamp') at?: Date;
  @RepeatedField(2, 'timestamp') all?: Date[];
  @MapField(3, 'string', 'timestamp') named?: Map<string, Date>;
  @Field(4, () => Harvest) next?: Harvest;
}

/** Days as text and as digits. */
export const Era = declare(class {}, {
  name: 'Era',
  table: 'eras',
  marker: true,
  families: { m: {} },
  key: rowKey('at' as never, 'day' as never, 'hour' as never),
  segments: {
    at: { kind: 'isoDate' },
    day: { kind: 'isoDate', precision: 'day' },
    hour: { kind: 'timestamp', floor: 'hour' },
  },
});

/** Times in a key, in a column and in the timestamps of cells. */
export const Tide = declare(TideRows, {
  name: 'Tide',
  table: 'tides',
  keyFormat: 'ordered',
  families: { m: {}, v: {} },
  key: rowKey('at' as never),
  segments: { at: 'timestamp' },
  columns: { high: column('m', 'timestamp'), seen: versions('v', 'bool') },
});

function varint(value: bigint): string {
  const rest = BigInt.asUintN(64, value);
  const byte = (each: bigint): string => Number(each).toString(16).padStart(2, '0');
  return rest < 128n ? byte(rest) : byte((rest % 128n) + 128n) + varint(rest / 128n);
}

const timeOf = (seconds: bigint, nanos = 0n): string =>
  (seconds === 0n ? '' : `08${varint(seconds)}`) + (nanos === 0n ? '' : `10${varint(nanos)}`);

/** Times of messages in hexadecimal; the protobuf libraries accept all of them. */
export const timesOfMessages: readonly (readonly [
  name: string,
  time: string,
  isRefused: boolean,
])[] = [
  ['with a negative nanosecond', timeOf(0n, -1n), true],
  ['with a second of nanoseconds', timeOf(0n, 1_000_000_000n), true],
  ['before the year 1', timeOf(-62_135_596_801n), true],
  ['after the year 9999', timeOf(253_402_300_800n), true],
  ['at the start of the year 1', timeOf(-62_135_596_800n), false],
  ['at the end of the year 9999', timeOf(253_402_300_799n, 999_999_999n), false],
];

/** Messages `Harvest` with a time. */
export function placesOf(time: string): Readonly<Record<string, string>> {
  const field = (tag: string, content: string): string =>
    tag + varint(BigInt(content.length / 2)) + content;
  return {
    'a field': field('0a', time),
    'a list': field('12', '') + field('12', time),
    'a map': field('1a', field('0a', '61') + field('12', time)),
    'a message': field('22', field('0a', time)),
  };
}
