/**
 * `npm run bench -- bench/key-codec.ts`: the cost of encoding and decoding each kind of segment in
 * both key formats. It is the time for a key of a constant segment and this one, minus the time for
 * a key of the constant segment. Target: less than 0.1 us to decode a segment of fixed width.
 */
import type { KeyCodec, KeyDecoder, KeyPart } from '../src/data/key/codec/key-codec.js';
import type { KeyFormat } from '../src/data/key/kinds/key-format.js';
import { buildKeyCodec } from '../src/data/key/codec/build-key-codec.js';
import type { SegmentType } from '../src/data/key/kinds/segment-type.js';
import { interleave, type Variant } from './interleave.js';
import { benchOptions, Results } from './results.js';

const keys = 1000;
const passes = 100;

/** A segment with a different value for each row. */
interface Sample {
  readonly name: string;
  readonly type: SegmentType;
  readonly value: (row: number) => unknown;
  /** All values have the same number of bytes. */
  readonly fixed: boolean;
}

const start = Date.UTC(2026, 0, 1);
const hex = (row: number): string =>
  ((row * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0');
const samples: readonly Sample[] = [
  { name: 'uint', type: { kind: 'uint', width: 10 }, value: (row) => row * 7919, fixed: true },
  { name: 'int', type: { kind: 'int' }, value: (row) => row * 7919, fixed: true },
  {
    name: 'bigint-19',
    type: { kind: 'bigint', width: 19 },
    value: (row) => 9_000_000_000_000_000_000n + BigInt(row),
    fixed: true,
  },
  {
    name: 'decimal',
    type: { kind: 'decimal', scale: 2 },
    value: (row) => `${row * 7919}.25`,
    fixed: true,
  },
  { name: 'bool', type: { kind: 'bool' }, value: (row) => row % 2 === 0, fixed: true },
  {
    name: 'enum-ordinal',
    type: { kind: 'enum', values: ['a', 'b', 'c'], by: 'ordinal' },
    value: (row) => 'abc'[row % 3],
    fixed: true,
  },
  { name: 'float', type: { kind: 'float' }, value: (row) => row / 7, fixed: true },
  {
    name: 'timestamp',
    type: { kind: 'timestamp' },
    value: (row) => new Date(start + row * 1001),
    fixed: true,
  },
  {
    name: 'timestamp-s',
    type: { kind: 'timestamp', unit: 's' },
    value: (row) => new Date(start + row * 1000),
    fixed: true,
  },
  {
    name: 'timestamp-us',
    type: { kind: 'timestamp', unit: 'us' },
    value: (row) => new Date(start + row * 1001),
    fixed: true,
  },
  {
    name: 'timestamp-ns',
    type: { kind: 'timestamp', unit: 'ns' },
    value: (row) => new Date(start + row * 1001),
    fixed: true,
  },
  {
    name: 'timestamp-5min',
    type: { kind: 'timestamp', floor: 300_000 },
    value: (row) => new Date(start + row * 300_000),
    fixed: true,
  },
  {
    name: 'timestamp-hour',
    type: { kind: 'timestamp', floor: 'hour' },
    value: (row) => new Date(start + row * 3_600_000),
    fixed: true,
  },
  {
    name: 'micros',
    type: { kind: 'micros' },
    value: (row) => BigInt(start) * 1000n + BigInt(row),
    fixed: true,
  },
  {
    name: 'micros-desc',
    type: { kind: 'micros', order: 'desc' },
    value: (row) => BigInt(start) * 1000n + BigInt(row),
    fixed: true,
  },
  {
    name: 'timestamp-desc',
    type: { kind: 'timestamp', order: 'desc' },
    value: (row) => new Date(start + row * 1001),
    fixed: true,
  },
  {
    name: 'timestamp-desc-long',
    type: { kind: 'timestamp', order: 'desc', reverseFrom: 'long' },
    value: (row) => new Date(start + row * 1001),
    fixed: true,
  },
  {
    name: 'timestamp-day',
    type: { kind: 'timestamp', floor: 'day' },
    value: (row) => new Date(start + row * 86_400_000),
    fixed: true,
  },
  {
    name: 'isoDate',
    type: { kind: 'isoDate' },
    value: (row) => new Date(start + row * 1001),
    fixed: true,
  },
  {
    name: 'uuid',
    type: { kind: 'uuid' },
    value: (row) => `${hex(row)}-0000-4000-8000-00000000${String(row).padStart(4, '0')}`,
    fixed: true,
  },
  {
    name: 'isoDay',
    type: { kind: 'isoDate', precision: 'day' },
    value: (row) => new Date(start + row * 86_400_000),
    fixed: true,
  },
  {
    name: 'uuid-plain',
    type: { kind: 'uuid', dashes: false },
    value: (row) => `${hex(row)}-0000-4000-8000-00000000${String(row).padStart(4, '0')}`,
    fixed: true,
  },
  {
    name: 'ulid',
    type: { kind: 'ulid' },
    value: (row) => `01ARZ3NDEKTSV4RRFFQ69${String((row * 7919) % 100_000).padStart(5, '0')}`,
    fixed: true,
  },
  {
    name: 'reversed-id',
    type: { kind: 'reversedId' },
    value: (row) => row * 7_919_000_003,
    fixed: true,
  },
  {
    name: 'bytes-16',
    type: { kind: 'bytes', maxLength: 16 },
    value: (row) => Uint8Array.from({ length: 16 }, (_, i) => row * 31 + i),
    fixed: true,
  },
  {
    name: 'string',
    type: { kind: 'string' },
    value: (row) => `device-${String(row).padStart(7, '0')}`,
    fixed: false,
  },
  {
    name: 'string-repeated',
    type: { kind: 'string' },
    value: () => 'device-0000123',
    fixed: false,
  },
];

const options = benchOptions(process.argv.slice(2));
const results = new Results(options);
for (const format of ['text', 'ordered'] as const) {
  for (const sample of samples) {
    if (format === 'ordered' && onlyText(sample.type)) continue;
    const name = `${format}.${sample.name}`;
    if (options.only.length === 0 || options.only.some((part) => name.includes(part)))
      await measure(name, format, sample);
  }
}
// The minimum for a timestamp: a new Date for each row.
const floor = { at: new Date(start) };
const dates = await interleave(
  [
    {
      name: 'date',
      run: () =>
        repeat(() => {
          for (let row = 0; row < keys; row++) floor.at = new Date(start + row);
        }),
    },
  ],
  15,
  3,
);
results.add({ name: 'key.floor.new-date', value: dates.get('date')!.min, unit: 'us' });
process.exit(results.finish({ keys }));

/** Options of the text form; the ordered format has only one form. */
function onlyText({ reverseFrom, unit, dashes }: SegmentType): boolean {
  return reverseFrom !== undefined || unit === 's' || unit === 'ns' || dashes !== undefined;
}

async function measure(
  name: string,
  format: KeyFormat,
  { type, value, fixed }: Sample,
): Promise<void> {
  const [alone, both] = [
    codecOf(format, []),
    codecOf(format, [{ kind: 'segment', name: 'measured', type }]),
  ];
  const rows = Array.from({ length: keys }, (_, row) => ({
    tenant: 't0042',
    measured: value(row),
  }));
  const timings = await interleave(
    [
      ...[alone, both].flatMap(({ encode, decode }, i): Variant[] => {
        const written = rows.map(encode);
        const target = { tenant: '', measured: undefined as unknown };
        if (
          !written.every(
            (key, row) =>
              decode(key, 0, key.length, target) &&
              (i === 0 || String(target.measured) === String(rows[row].measured)),
          )
        )
          throw new Error(`${name} is not decoded to the same value.`);
        return [
          {
            name: `decode ${i}`,
            run: () =>
              repeat(() => {
                for (const key of written) decode(key, 0, key.length, target);
              }),
          },
          {
            name: `encode ${i}`,
            run: () =>
              repeat(() => {
                for (const row of rows) encode(row);
              }),
          },
        ];
      }),
    ],
    15,
    3,
  );
  for (const what of ['decode', 'encode']) {
    // The minimum of each: differences of tens of nanoseconds are smaller than the noise.
    const cost = timings.get(`${what} 1`)!.min - timings.get(`${what} 0`)!.min;
    const result = { name: `key.${name}.${what}`, value: cost, unit: 'us' };
    if (!fixed || what !== 'decode') results.add(result);
    else
      results.add({
        ...result,
        ratio: cost / 0.1,
        of: '0.1 us',
        target: { kind: 'atMost', ratio: 1 },
      });
  }
}

function repeat(work: () => void): number {
  for (let pass = 0; pass < passes; pass++) work();
  return keys * passes;
}

/** A key of a constant segment and the parts. */
function codecOf(
  format: KeyFormat,
  parts: readonly KeyPart[],
): { encode: KeyCodec['encode']; decode: KeyDecoder } {
  const spec = {
    format,
    parts: [{ kind: 'segment', name: 'tenant', type: { kind: 'string' } }, ...parts] as const,
  };
  const built = buildKeyCodec(spec, 'Measured');
  if ('faults' in built) throw new Error(built.faults[0].problem);
  return { encode: (row) => built.codec.encode(row), decode: built.codec.decoder() };
}
