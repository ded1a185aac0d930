/** Models of messages of .proto files. */
import { type MessageShape } from '../../../src/data/cell/index.js';
import { fromProto } from '../../../src/entities/proto/from-proto.js';
import { defineEntity, packed, rowKey } from '../../../src/index.js';
import type { Constructor } from '../../../src/entities/model/index.js';
import { buildModels, type EntityModel } from '../../../src/entities/model/index.js';

/** The model of an entity with one column of the message class. */
export function modelOf(message: () => Constructor): EntityModel {
  class Row {
    id = '';
    held?: object;
  }
  return buildModels([
    defineEntity(Row, {
      table: 'rows',
      families: { s: {} },
      key: rowKey('id'),
      segments: { id: { kind: 'string' } },
      columns: { held: packed('s', message) },
    }),
  ])[0];
}

export const shapeOf = (path: string, message: string): MessageShape =>
  modelOf(fromProto(path, message)).columns[0].message!;
