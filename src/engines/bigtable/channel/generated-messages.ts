/**
 * Messages as our codec holds them <-> as the generated client does: int64 as text, maps as
 * objects, nothing kept in bytes.
 */
import type { FieldShape, MessageShape } from '../../../cell/index.js';
import {
  bool,
  bytes,
  int32,
  int64,
  list,
  many,
  messageType,
  one,
  text,
  type MessageType,
} from '../../../protocol/index.js';
import * as protocol from '../../../protocol/index.js';

type Plain = Record<string, unknown>;

const StringValue = messageType('google.protobuf.StringValue', { value: text(1) });
const BytesValue = messageType('google.protobuf.BytesValue', { value: bytes(1) });
const CellChunk = messageType('google.bigtable.v2.ReadRowsResponse.CellChunk', {
  rowKey: bytes(1),
  familyName: one(2, StringValue),
  qualifier: one(3, BytesValue),
  timestampMicros: int64(4),
  labels: list(text(5)),
  value: bytes(6),
  valueSize: int32(7),
  resetRow: bool(8, 'rowStatus'),
  commitRow: bool(9, 'rowStatus'),
});
const ReadRowsResponse = messageType('google.bigtable.v2.ReadRowsResponse', {
  chunks: many(1, CellChunk),
  lastScannedRowKey: bytes(2),
});

/** Fields that we keep in their bytes, and what the bytes are. */
const inBytes: Readonly<Record<string, MessageType<object>>> = {
  'google.bigtable.v2.ReadRowsRequest.filter': protocol.RowFilter,
  'google.bigtable.v2.CheckAndMutateRowRequest.predicateFilter': protocol.RowFilter,
  'google.bigtable.admin.v2.ColumnFamily.gcRule': protocol.GcRuleMessage,
};

/** A method of the generated client. */
export interface GeneratedMethod {
  readonly name: string;
  readonly request: MessageType<object>;
  readonly answer: MessageType<object>;
  readonly streams?: boolean;
  /**
   * Which of the client's answers is the message itself; default the first. Pages and operations
   * have it behind what they make of it.
   */
  readonly at?: number;
}

/** Every method that the engine calls, by path. */
export const generatedMethods: Readonly<Record<string, GeneratedMethod>> = {
  ...service('google.bigtable.v2.Bigtable', {
    ReadRows: { request: protocol.ReadRowsRequest, answer: ReadRowsResponse, streams: true },
    SampleRowKeys: {
      request: protocol.SampleRowKeysRequest,
      answer: protocol.SampleRowKeysResponse,
      streams: true,
    },
    MutateRows: {
      request: protocol.MutateRowsRequest,
      answer: protocol.MutateRowsResponse,
      streams: true,
    },
    MutateRow: { request: protocol.MutateRowRequest, answer: protocol.MutateRowResponse },
    CheckAndMutateRow: {
      request: protocol.CheckAndMutateRowRequest,
      answer: protocol.CheckAndMutateRowResponse,
    },
    ReadModifyWriteRow: {
      request: protocol.ReadModifyWriteRowRequest,
      answer: protocol.ReadModifyWriteRowResponse,
    },
    PingAndWarm: { request: protocol.PingAndWarmRequest, answer: protocol.PingAndWarmResponse },
  }),
  ...service('google.bigtable.admin.v2.BigtableTableAdmin', {
    CreateTable: { request: protocol.CreateTableRequest, answer: protocol.Table },
    ListTables: { request: protocol.ListTablesRequest, answer: protocol.ListTablesResponse, at: 2 },
    GetTable: { request: protocol.GetTableRequest, answer: protocol.Table },
    UpdateTable: { request: protocol.UpdateTableRequest, answer: protocol.Operation, at: 1 },
    DeleteTable: { request: protocol.DeleteTableRequest, answer: protocol.Empty },
    ModifyColumnFamilies: { request: protocol.ModifyColumnFamiliesRequest, answer: protocol.Table },
    DropRowRange: { request: protocol.DropRowRangeRequest, answer: protocol.Empty },
    GenerateConsistencyToken: {
      request: protocol.GenerateConsistencyTokenRequest,
      answer: protocol.GenerateConsistencyTokenResponse,
    },
    CheckConsistency: {
      request: protocol.CheckConsistencyRequest,
      answer: protocol.CheckConsistencyResponse,
    },
  }),
  ...service('google.longrunning.Operations', {
    GetOperation: { request: protocol.GetOperationRequest, answer: protocol.Operation },
  }),
};

function service(
  name: string,
  methods: Readonly<Record<string, Omit<GeneratedMethod, 'name'>>>,
): Record<string, GeneratedMethod> {
  return Object.fromEntries(
    Object.entries(methods).map(([method, types]) => [
      `/${name}/${method}`,
      { ...types, name: method[0].toLowerCase() + method.slice(1) },
    ]),
  );
}

/** The request as the generated client takes it. */
export function toGenerated(type: MessageType<object>, encoded: Uint8Array): Plain {
  return convert(type.shape, type.decode(encoded) as Plain, outward);
}

/** The bytes of an answer that the generated client gave. */
export function fromGenerated(type: MessageType<object>, answer: object): Uint8Array {
  return type.encode(convert(type.shape, answer as Plain, inward));
}

/** How the values of one direction are made. */
interface Direction {
  readonly map: (entries: readonly (readonly [string, unknown])[]) => unknown;
  readonly entries: (map: unknown) => readonly (readonly [string, unknown])[];
  readonly scalar: (field: FieldShape, value: unknown) => unknown;
  readonly bytes: (type: MessageType<object>, value: unknown) => unknown;
}

const outward: Direction = {
  map: (entries) => Object.fromEntries(entries),
  entries: (map) => [...(map as ReadonlyMap<string, unknown>)],
  scalar: (_field, value) => (typeof value === 'bigint' ? value.toString() : value),
  bytes: (type, value) => toGenerated(type, value as Uint8Array),
};

/** The values of enums that the engine reads, which come as names (Table.TimestampGranularity). */
const enumNumbers: Readonly<Record<string, number>> = { MILLIS: 1, MICROS: 2 };

const inward: Direction = {
  map: (entries) => new Map(entries),
  entries: (map) => Object.entries(map as Plain),
  scalar: ({ type }, value) => {
    if (type.kind !== 'scalar') return value;
    if (type.scalar === 'int64') return BigInt(String(value));
    return type.scalar === 'int32' && typeof value === 'string' ? (enumNumbers[value] ?? 0) : value;
  },
  bytes: (type, value) => fromGenerated(type, value as object),
};

function convert(shape: MessageShape, message: Plain, direction: Direction): Plain {
  const converted: Plain = {};
  for (const field of shape.fields) {
    const value = message[field.name];
    if (value === undefined || value === null) continue;
    const type = inBytes[`${shape.name}.${field.name}`];
    const each = (one: unknown): unknown => {
      if (type !== undefined) return direction.bytes(type, one);
      return field.type.kind === 'message'
        ? convert(field.type.shape(), one as Plain, direction)
        : direction.scalar(field, one);
    };
    if (field.label === 'repeated') converted[field.name] = (value as unknown[]).map(each);
    else if (field.label === 'map')
      converted[field.name] = direction.map(
        direction.entries(value).map(([key, one]) => [key, each(one)]),
      );
    else converted[field.name] = each(value);
  }
  return converted;
}
