/**
 * Converts messages between the form of our codec and the form of the generated client, where int64
 * are strings, maps are objects, and no nested message stays encoded.
 */
import type { FieldShape, MessageShape } from '../../../data/cell/index.js';
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
} from '../../protocol/index.js';
import * as protocol from '../../protocol/index.js';

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

/** Fields that stay encoded in our form, and the message type of their bytes. */
const encodedFields: Readonly<Record<string, MessageType<object>>> = {
  'google.bigtable.v2.ReadRowsRequest.filter': protocol.RowFilter,
  'google.bigtable.v2.CheckAndMutateRowRequest.predicateFilter': protocol.RowFilter,
  'google.bigtable.admin.v2.ColumnFamily.gcRule': protocol.GcRuleMessage,
};

/** A method of the generated client. */
export interface GeneratedMethod {
  readonly name: string;
  readonly request: MessageType<object>;
  readonly response: MessageType<object>;
  readonly streams?: boolean;
  /**
   * Index of the response message in the client's results; default 0. For pages and operations,
   * the client puts derived values before it.
   */
  readonly responseIndex?: number;
}

/** All methods that the engine calls, by path. */
export const generatedMethods: Readonly<Record<string, GeneratedMethod>> = {
  ...service('google.bigtable.v2.Bigtable', {
    ReadRows: { request: protocol.ReadRowsRequest, response: ReadRowsResponse, streams: true },
    SampleRowKeys: {
      request: protocol.SampleRowKeysRequest,
      response: protocol.SampleRowKeysResponse,
      streams: true,
    },
    MutateRows: {
      request: protocol.MutateRowsRequest,
      response: protocol.MutateRowsResponse,
      streams: true,
    },
    MutateRow: { request: protocol.MutateRowRequest, response: protocol.MutateRowResponse },
    CheckAndMutateRow: {
      request: protocol.CheckAndMutateRowRequest,
      response: protocol.CheckAndMutateRowResponse,
    },
    ReadModifyWriteRow: {
      request: protocol.ReadModifyWriteRowRequest,
      response: protocol.ReadModifyWriteRowResponse,
    },
    PingAndWarm: { request: protocol.PingAndWarmRequest, response: protocol.PingAndWarmResponse },
  }),
  ...service('google.bigtable.admin.v2.BigtableTableAdmin', {
    CreateTable: { request: protocol.CreateTableRequest, response: protocol.Table },
    ListTables: {
      request: protocol.ListTablesRequest,
      response: protocol.ListTablesResponse,
      responseIndex: 2,
    },
    GetTable: { request: protocol.GetTableRequest, response: protocol.Table },
    UpdateTable: {
      request: protocol.UpdateTableRequest,
      response: protocol.Operation,
      responseIndex: 1,
    },
    DeleteTable: { request: protocol.DeleteTableRequest, response: protocol.Empty },
    ModifyColumnFamilies: {
      request: protocol.ModifyColumnFamiliesRequest,
      response: protocol.Table,
    },
    DropRowRange: { request: protocol.DropRowRangeRequest, response: protocol.Empty },
    GenerateConsistencyToken: {
      request: protocol.GenerateConsistencyTokenRequest,
      response: protocol.GenerateConsistencyTokenResponse,
    },
    CheckConsistency: {
      request: protocol.CheckConsistencyRequest,
      response: protocol.CheckConsistencyResponse,
    },
  }),
  ...service('google.longrunning.Operations', {
    GetOperation: { request: protocol.GetOperationRequest, response: protocol.Operation },
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

/** Decodes a request into the form of the generated client. */
export function toGenerated(type: MessageType<object>, encoded: Uint8Array): Plain {
  return convert(type.shape, type.decode(encoded) as Plain, outward);
}

/** Encodes a response of the generated client. */
export function fromGenerated(type: MessageType<object>, response: object): Uint8Array {
  return type.encode(convert(type.shape, response as Plain, inward));
}

/** Conversions of one direction. */
interface Direction {
  readonly map: (entries: readonly (readonly [string, unknown])[]) => unknown;
  readonly entries: (map: unknown) => readonly (readonly [string, unknown])[];
  readonly scalar: (field: FieldShape, value: unknown) => unknown;
  readonly bytes: (type: MessageType<object>, value: unknown) => unknown;
}

const outward: Direction = {
  map: (entries) => Object.fromEntries(entries),
  entries: (map) => [...(map as ReadonlyMap<string, unknown>)],
  scalar: (_field, value) => {
    if (typeof value === 'bigint') return value.toString();
    return value;
  },
  bytes: (type, value) => toGenerated(type, value as Uint8Array),
};

/** Enum values arrive as names; only Table.TimestampGranularity is read. */
const enumNumbers: Readonly<Record<string, number>> = { MILLIS: 1, MICROS: 2 };

const inward: Direction = {
  map: (entries) => new Map(entries),
  entries: (map) => Object.entries(map as Plain),
  scalar: ({ type }, value) => {
    if (type.kind !== 'scalar') return value;
    if (type.scalar === 'int64') return BigInt(String(value));
    if (type.scalar === 'int32' && typeof value === 'string') return enumNumbers[value] ?? 0;
    return value;
  },
  bytes: (type, value) => fromGenerated(type, value as object),
};

function convert(shape: MessageShape, message: Plain, direction: Direction): Plain {
  const converted: Plain = {};
  for (const field of shape.fields) {
    const value = message[field.name];
    if (value === undefined || value === null) continue;
    const type = encodedFields[`${shape.name}.${field.name}`];
    const convertOne = (one: unknown): unknown => {
      if (type !== undefined) return direction.bytes(type, one);
      if (field.type.kind !== 'message') return direction.scalar(field, one);
      return convert(field.type.shape(), one as Plain, direction);
    };
    if (field.label === 'repeated') converted[field.name] = (value as unknown[]).map(convertOne);
    else if (field.label === 'map')
      converted[field.name] = direction.map(
        direction.entries(value).map(([key, one]) => [key, convertOne(one)]),
      );
    else converted[field.name] = convertOne(value);
  }
  return converted;
}
