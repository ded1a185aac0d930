/** The message of the suites of the message codec. */
import { fromHex } from '../../../src/base/index.js';
import {
  CodecError,
  type CellCodec,
  type FieldKind,
  type FieldShape,
  type FieldType,
  type MapKeyKind,
  type MessageShape,
} from '../../../src/data/cell/index.js';
import { messageShape } from './message-arbitrary.js';

export const scalar = (kind: FieldKind): FieldType => ({ kind: 'scalar', scalar: kind });
export const one = (
  name: string,
  number: number,
  type: FieldKind | FieldType,
  oneof?: string,
): FieldShape => ({
  name,
  number,
  label: 'singular',
  type: typeof type === 'string' ? scalar(type) : type,
  oneof,
});

export const list = (name: string, number: number, type: FieldKind | FieldType): FieldShape => ({
  ...one(name, number, type),
  label: 'repeated',
});

export const map = (
  name: string,
  number: number,
  mapKey: MapKeyKind,
  type: FieldKind | FieldType,
): FieldShape => ({ ...one(name, number, type), label: 'map', mapKey });

export class Position {
  lat?: number;
  declare steps?: number;
}

export const position: MessageShape = {
  name: 'test.Position',
  fields: [one('lat', 1, 'double'), one('steps', 2, 'int32')],
  create: () => new Position(),
  messageClass: Position,
};

export const positionType: FieldType = { kind: 'message', shape: () => position };
export const status: MessageShape = messageShape('Status', [
  one('firmware', 1, 'string'),
  one('uptimeMs', 2, 'int64'),
  one('count', 3, 'int32'),
  one('level', 4, 'uint32'),
  one('ratio', 5, 'float'),
  one('on', 6, 'bool'),
  one('raw', 7, 'bytes'),
  one('at', 8, 'timestamp'),
  one('position', 9, positionType),
  list('alarms', 10, 'int32'),
  list('names', 11, 'string'),
  map('probes', 12, 'string', 'double'),
  map('places', 13, 'int32', positionType),
  one('big', 14, 'uint64'),
  list('track', 15, positionType),
  one('text', 16, 'string', 'choice'),
  one('number', 17, 'sint32', 'choice'),
  one('spot', 18, positionType, 'choice'),
  one('inner', 19, { kind: 'message', shape: () => status }),
  one('zig', 20, 'sint64'),
]);

export const decodeHex = <T extends object>(codec: CellCodec<T>, hex: string): T => {
  const bytes = fromHex(hex)!;
  return codec.decode(bytes, 0, bytes.length);
};

export const errorOf = (run: () => unknown): CodecError => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(CodecError);
    expect((error as CodecError).fix).not.toBe('');
    return error as CodecError;
  }
  throw new Error('no error was thrown');
};
