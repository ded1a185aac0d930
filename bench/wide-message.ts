/**
 * The message of forty fields that is measured: what a device tells of itself in full, about 450
 * bytes.
 */
import { defineMessage, enumOf, field, mapField, repeatedField } from '../src/index.js';

enum Mode {
  UNKNOWN = 0,
  AUTO = 1,
  MANUAL = 2,
}

/** A place. */
export class Position {
  lat?: number;
  lon?: number;
  accuracy?: number;
}
defineMessage(Position, {
  name: 'bench.Position',
  fields: { lat: field(1, 'double'), lon: field(2, 'double'), accuracy: field(3, 'float') },
});

const texts = [
  'serial',
  'model',
  'firmware',
  'site',
  'state',
  'reason',
  'operator',
  'note',
] as const;
const doubles = ['temperature', 'humidity', 'pressure', 'voltage', 'current', 'power'] as const;
const int32s = ['restarts', 'errors', 'warnings', 'signal', 'level', 'speed'] as const;
const uint32s = ['battery', 'flags', 'sequence'] as const;
const sint32s = ['offset', 'drift'] as const;
const int64s = ['uptimeUs', 'received', 'sent'] as const;
const bools = ['online', 'charging', 'locked'] as const;

/** Forty fields. */
export class Wide {
  serial?: string;
  model?: string;
  firmware?: string;
  site?: string;
  state?: string;
  reason?: string;
  operator?: string;
  note?: string;
  temperature?: number;
  humidity?: number;
  pressure?: number;
  voltage?: number;
  current?: number;
  power?: number;
  restarts?: number;
  errors?: number;
  warnings?: number;
  signal?: number;
  level?: number;
  speed?: number;
  battery?: number;
  flags?: number;
  sequence?: number;
  offset?: number;
  drift?: number;
  uptimeUs?: bigint;
  received?: bigint;
  sent?: bigint;
  online?: boolean;
  charging?: boolean;
  locked?: boolean;
  gain?: number;
  loss?: number;
  digest?: Uint8Array;
  mode?: Mode;
  home?: Position;
  position?: Position;
  alarms?: number[];
  tags?: string[];
  probes?: Map<string, number>;
}

let number = 0;
const numbered = <N extends string, F>(
  list: readonly N[],
  make: (number: number) => F,
): Record<N, F> => Object.fromEntries(list.map((name) => [name, make(++number)])) as Record<N, F>;
defineMessage(Wide, {
  name: 'bench.Wide',
  fields: {
    ...numbered(texts, (n) => field(n, 'string')),
    ...numbered(doubles, (n) => field(n, 'double')),
    ...numbered(int32s, (n) => field(n, 'int32')),
    ...numbered(uint32s, (n) => field(n, 'uint32')),
    ...numbered(sint32s, (n) => field(n, 'sint32')),
    ...numbered(int64s, (n) => field(n, 'int64')),
    ...numbered(bools, (n) => field(n, 'bool')),
    gain: field(32, 'float'),
    loss: field(33, 'float'),
    digest: field(34, 'bytes'),
    mode: field(35, enumOf(Mode)),
    home: field(36, Position),
    position: field(37, Position),
    alarms: repeatedField(38, 'uint32'),
    tags: repeatedField(39, 'string'),
    probes: mapField(40, 'string', 'double'),
  },
});

const states = ['RUNNING', 'DEGRADED', 'OFFLINE', 'CALIBRATING', 'STANDBY'];

/** Message `i`, always the same. */
export function wideMessage(i: number): Wide {
  const made = new Wide();
  texts.forEach((name, k) => {
    made[name] =
      name === 'state'
        ? states[i % states.length]
        : name === 'serial'
          ? `SN-${String((i * 7919) % 1_000_000).padStart(8, '0')}`
          : `${name} ${(i * (k + 3)) % 40}`;
  });
  doubles.forEach((name, k) => {
    made[name] = Math.round(((i * 37 + k * 11) % 1000) * 10.1) / 100;
  });
  int32s.forEach((name, k) => {
    made[name] = (i * (k + 1)) % 500;
  });
  uint32s.forEach((name, k) => {
    made[name] = (i * 131 * (k + 1)) % 100_000;
  });
  sint32s.forEach((name, k) => {
    made[name] = ((i * (k + 5)) % 200) - 100;
  });
  int64s.forEach((name, k) => {
    made[name] = 1_700_000_000_000n + BigInt(i) * BigInt(1000 * (k + 1));
  });
  bools.forEach((name, k) => {
    made[name] = (i >> k) % 2 === 0;
  });
  made.gain = (i % 64) / 8;
  made.loss = (i % 16) / 4;
  made.digest = Uint8Array.from({ length: 16 }, (_, k) => (i * 31 + k * 17) & 255);
  made.mode = i % 3;
  made.home = place(i % 100);
  made.position = place(i);
  made.alarms = Array.from({ length: 3 }, (_, k) => (i * (k + 1)) % 300);
  made.tags = ['indoor', states[i % states.length].toLowerCase()];
  made.probes = new Map([
    ['p1', i / 8],
    ['p2', i / 16],
  ]);
  return made;
}

function place(i: number): Position {
  return Object.assign(new Position(), {
    lat: 48 + (i % 1000) / 1000,
    lon: 11 + (i % 777) / 777,
    accuracy: (i % 32) / 2,
  });
}
