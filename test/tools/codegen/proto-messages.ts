/** Message classes that use every feature of generated .proto files, in three packages. */
import {
  defineEntity,
  defineMessage,
  enumOf,
  field,
  mapField,
  packed,
  repeatedField,
  rowKey,
} from '../../../src/index.js';
import type { MessageShape } from '../../../src/data/cell/index.js';
import { buildModels, messagesOf } from '../../../src/entities/model/index.js';

enum Mode {
  UNKNOWN = 0,
  AUTO = 1,
  manual = 2,
  Off = -1,
  BY_HAND = 2,
}
enum State {
  STATE_UNKNOWN = 0,
  UP = 5,
  DOWN = 3,
}

export class Point {
  lat?: number;
  lon?: number;
}
defineMessage(Point, {
  name: 'acme.geo.Point',
  fields: { lat: field(1, 'double'), lon: field(2, 'double') },
});

export class Position {
  point?: Point;
  at?: Date;
}
defineMessage(Position, {
  name: 'telemetry.Position',
  fields: { point: field(1, Point), at: field(2, 'timestamp') },
});

export class Alarm {
  text?: string;
  causes?: Alarm[];
}
defineMessage(Alarm, {
  name: 'telemetry.Status.Alarm',
  fields: { text: field(1, 'string'), causes: repeatedField(2, () => Alarm) },
});

/** A field of every kind and label. */
export class Status {
  firmware?: string;
  uptimeMs?: bigint;
  raw?: Uint8Array;
  ok?: boolean;
  double?: number;
  float?: number;
  count?: number;
  delta?: number;
  big?: bigint;
  zig?: bigint;
  fixed?: number;
  sfixed?: number;
  fixed64?: bigint;
  sfixed64?: bigint;
  level?: number;
  position?: Position;
  alarms?: Alarm[];
  probes?: Map<string, number>;
  places_by_id?: Map<bigint, Position>;
  states?: Map<boolean, State>;
  bootedAt?: Date;
  mode?: Mode;
  state?: State;
  modes?: Mode[];
  person?: string;
  next?: Status;
  team?: number;
  _private?: number;
}
defineMessage(Status, {
  name: 'telemetry.Status',
  fields: {
    firmware: field(1, 'string'),
    uptimeMs: field(2, 'int64'),
    raw: field(3, 'bytes'),
    ok: field(4, 'bool'),
    double: field(5, 'double'),
    float: field(6, 'float'),
    count: field(8, 'int32'),
    delta: field(10, 'sint32'),
    big: field(11, 'uint64'),
    zig: field(12, 'sint64'),
    fixed: field(13, 'fixed32'),
    sfixed: field(14, 'sfixed32'),
    fixed64: field(15, 'fixed64'),
    sfixed64: field(16, 'sfixed64'),
    level: field(17, 'uint32'),
    position: field(20, Position),
    alarms: repeatedField(21, () => Alarm),
    probes: mapField(22, 'string', 'double'),
    places_by_id: mapField(23, 'sint64', Position),
    states: mapField(24, 'bool', enumOf(State, 'telemetry.State')),
    bootedAt: field(25, 'timestamp'),
    mode: field(26, enumOf(Mode)),
    state: field(27, enumOf(State, 'telemetry.State')),
    modes: repeatedField(28, enumOf(Mode, 'telemetry.Status.Mode')),
    person: field(30, 'string', { oneof: 'owner' }),
    next: field(40, () => Status),
    team: field(536870911, 'uint32', { oneof: 'owner' }),
    _private: field(50, 'int32'),
  },
});

export class Note {
  text?: string;
}
defineMessage(Note, { fields: { text: field(1, 'string') } });

class Row {
  id = '';
  status?: Status;
  note?: Note;
}
/** The entity that stores the messages. */
export const rowModels = buildModels([
  defineEntity(Row, {
    table: 'rows',
    families: { s: {} },
    key: rowKey('id'),
    segments: { id: { kind: 'string' } },
    columns: { status: packed('s', () => Status), note: packed('s', () => Note) },
  }),
]);

/** The shape of Status. */
export const statusShape = messagesOf(rowModels[0]).find(
  (shape): shape is MessageShape => shape.name === 'telemetry.Status',
)!;

/** Numbers and names as a lock file reserves them. */
export function reserved(name: string): {
  readonly numbers: readonly number[];
  readonly names: readonly string[];
} {
  switch (name) {
    case 'telemetry.Status':
      return { numbers: [7, 9, 18, 19], names: ['voltage', 'ampere'] };
    case 'telemetry.State':
      return { numbers: [2], names: ['broken'] };
    default:
      return { numbers: [], names: [] };
  }
}
