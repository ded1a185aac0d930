/** The message of forty fields: a detailed status of a device. */
import { defineMessage, enumOf, field, mapField, repeatedField } from '../src/index.js';

enum Mode {
  UNKNOWN = 0,
  AUTO = 1,
  MANUAL = 2,
}

/** A position on the map. */
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

/** Message `i`; the same in every run. */
export function wideMessage(i: number): Wide {
  const message = new Wide();
  texts.forEach((name, k) => {
    message[name] = `${name} ${(i * (k + 3)) % 40}`;
  });
  message.state = states[i % states.length];
  message.serial = `SN-${String((i * 7919) % 1_000_000).padStart(8, '0')}`;
  doubles.forEach((name, k) => {
    message[name] = Math.round(((i * 37 + k * 11) % 1000) * 10.1) / 100;
  });
  int32s.forEach((name, k) => {
    message[name] = (i * (k + 1)) % 500;
  });
  uint32s.forEach((name, k) => {
    message[name] = (i * 131 * (k + 1)) % 100_000;
  });
  sint32s.forEach((name, k) => {
    message[name] = ((i * (k + 5)) % 200) - 100;
  });
  int64s.forEach((name, k) => {
    message[name] = 1_700_000_000_000n + BigInt(i) * BigInt(1000 * (k + 1));
  });
  bools.forEach((name, k) => {
    message[name] = (i >> k) % 2 === 0;
  });
  message.gain = (i % 64) / 8;
  message.loss = (i % 16) / 4;
  message.digest = Uint8Array.from({ length: 16 }, (_, k) => (i * 31 + k * 17) & 255);
  message.mode = i % 3;
  message.home = positionOf(i % 100);
  message.position = positionOf(i);
  message.alarms = Array.from({ length: 3 }, (_, k) => (i * (k + 1)) % 300);
  message.tags = ['indoor', states[i % states.length].toLowerCase()];
  message.probes = new Map([
    ['p1', i / 8],
    ['p2', i / 16],
  ]);
  return message;
}

function positionOf(i: number): Position {
  return Object.assign(new Position(), {
    lat: 48 + (i % 1000) / 1000,
    lon: 11 + (i % 777) / 777,
    accuracy: (i % 32) / 2,
  });
}
