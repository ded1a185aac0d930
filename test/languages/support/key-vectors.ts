/** The key vectors that declarations can express: an entity for each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { column, defineEntity, literal, rowKey } from '../../../src/index.js';
import type { SegmentType } from '../../../src/data/key/index.js';
import { buildModels, type EntityModel } from '../../../src/entities/model/index.js';

interface Vector {
  readonly id?: string;
  readonly codec: string;
  readonly kind?: string;
  readonly type: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly value: unknown;
  readonly hex: string;
}

/** A vector with its entity, whose key is `k` and the segment `v`. */
export interface VectorCase {
  readonly vector: Vector;
  readonly name: string;
  /** The value in the tagged form of the drivers. */
  readonly value: unknown;
}

/** A segment, and how its values are written in the vectors. */
type Declared = readonly [type: SegmentType, tag: (value: unknown) => unknown];

const asIs = (value: unknown): unknown => value;
const asInt = (value: unknown): unknown => (value === null ? null : { $int: String(value) });
const asTime =
  (perMs: number) =>
  (value: unknown): unknown => ({
    $time:
      typeof value === 'string' && /\D/.test(value.slice(1))
        ? Date.parse(value)
        : Number(value) / perMs,
  });

function asFloat(value: unknown): unknown {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Number(value));
  return { $float: Buffer.from(view.buffer).toString('hex') };
}

/** The declaration of a vector's segment; undefined if no declaration has this encoding. */
function declared({ type, options = {} }: Vector): Declared | undefined {
  const { width, values, unit, max, format, sizeMs, ...rest } = options;
  const order = options.desc === true || options.order === 'desc' ? 'desc' : undefined;
  const own = (kind: SegmentType['kind'], more: object = {}): SegmentType => ({ kind, ...more });
  switch (type) {
    case 'string':
      return 'delimiter' in options ? undefined : [own('string', { minLength: 0, ...rest }), asIs];
    case 'uint':
      return Number(width) > 16 ? undefined : [own('uint', { width, order }), asInt];
    case 'int':
      return [own(Number(width) > 16 ? 'bigint' : 'int', { width, order }), asInt];
    case 'bigint':
      return [own('bigint'), asInt];
    case 'float64':
      return [own('float'), asFloat];
    case 'decimal':
      return [own('decimal', { width, ...rest }), (each) => ({ $decimal: String(each) })];
    case 'bool':
      return [own('bool'), asIs];
    case 'enumName':
      return [own('enum', { values }), asIs];
    case 'enum':
    case 'enumOrdinal':
      return [own('enum', { values, by: 'ordinal' }), asIs];
    case 'isoDate':
      return [own('isoDate'), asTime(1)];
    case 'isoDay':
      return [own('isoDate', { precision: 'day' }), asTime(1)];
    case 'epoch':
    case 'epochReversed':
      return epoch(type === 'epoch' ? {} : { order: 'desc', reverseFrom: max }, String(unit));
    case 'reversedId':
      return [own('reversedId', { width }), asInt];
    case 'domainReversed':
      return [own('domain'), asIs];
    case 'ulid':
    case 'uuid':
      return [own(type, rest), asIs];
    case 'hexBytes':
      return [own('bytes'), (each) => ({ $bytes: each })];
    case 'bucket':
      return [own('timestamp', { floor: format === 'ms' ? sizeMs : format }), asTime(1)];
    default:
      return undefined;
  }
}

function epoch(options: object, unit: string): Declared {
  if (unit === 'us') return [{ kind: 'micros', ...options }, asInt];
  const perMs = { s: 1 / 1000, ms: 1, ns: 1e6 }[unit]!;
  return [{ kind: 'timestamp', unit: unit as 'ms', ...options }, asTime(perMs)];
}

/** All vectors of segments of text keys, and those with an entity. */
export function keyVectors(): {
  readonly all: number;
  readonly cases: readonly VectorCase[];
  readonly models: readonly EntityModel[];
} {
  const vectors = ['key-vectors.json', 'key-vectors-by-hand.json']
    .flatMap((name) => {
      const text = readFileSync(join(__dirname, '../../data/key', name), 'utf8');
      return (JSON.parse(text) as { vectors: Vector[] }).vectors;
    })
    .filter(({ codec, kind }) => codec === 'text' && kind === 'segment');
  const found = vectors.flatMap((vector) => {
    const declaration = declared(vector);
    return declaration === undefined ? [] : [{ vector, declaration }];
  });
  const classes = found.map(({ declaration: [type] }, i) =>
    defineEntity(class {}, {
      name: `Vector${i}`,
      table: `t${i}`,
      families: { f: {} },
      key: rowKey(literal('k'), 'v' as never),
      segments: { v: Object.fromEntries(Object.entries(type).filter(([, each]) => each != null)) },
      columns: { note: column('f', 'string') },
    } as never),
  );
  return {
    all: vectors.length,
    cases: found.map(({ vector, declaration: [, tag] }, i) => ({
      vector,
      name: `Vector${i}`,
      value: tag(expanded(vector.value)),
    })),
    models: buildModels(classes),
  };
}

/** False for domain names beyond ASCII, which need punycode. */
export function isAscii({ vector, value }: VectorCase): boolean {
  return vector.type !== 'domainReversed' || !/[^\x00-\x7f]/.test(String(value));
}

/** False for dates before the year 1, with which Python's datetime begins. */
export function isSinceYearOne({ vector: { type, value } }: VectorCase): boolean {
  if (type !== 'isoDate') return true;
  return !String(value).startsWith('0000') && !(Number(value) < -62_135_596_800_000);
}

/** `{ repeat, times }` is a long text. */
function expanded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('repeat' in value)) return value;
  const { repeat, times } = value as { repeat: string; times: number };
  return repeat.repeat(times);
}
