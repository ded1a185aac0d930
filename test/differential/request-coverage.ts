/**
 * Coverage of the methods and fields of Google's published messages by the requests of a campaign.
 */
import { Type, type Field } from 'protobufjs';
import { published } from '../engines/protocol/published.js';
import { RawClient, type CallResult } from '../server/raw-client.js';

const services = {
  data: 'google.bigtable.v2.Bigtable',
  tables: 'google.bigtable.admin.v2.BigtableTableAdmin',
} as const;

/**
 * Methods that histories must call. test/server/rpc-table checks that all other methods return
 * UNIMPLEMENTED or are called in other tests of the server.
 */
const methods: readonly string[] = [
  'ReadRows',
  'SampleRowKeys',
  'MutateRow',
  'MutateRows',
  'CheckAndMutateRow',
  'ReadModifyWriteRow',
  'PingAndWarm',
  'CreateTable',
  'ListTables',
  'GetTable',
  'UpdateTable',
  'DeleteTable',
  'ModifyColumnFamilies',
  'DropRowRange',
  'GenerateConsistencyToken',
  'CheckConsistency',
];

/** Fields that histories do not use, and why. */
const excludedFields: readonly (readonly [reason: string, fields: string])[] = [
  ['tested in test/server/authorized-views.test.ts', 'authorizedViewName'],
  ['materialized views are not offered', 'materializedViewName'],
  ['tested in test/server/idempotency.slow.test.ts', 'idempotency'],
  [
    'SQL values are not offered',
    'Value.type Value.bytesValue Value.stringValue Value.boolValue Value.floatValue Value.timestampValue Value.dateValue Value.arrayValue',
  ],
  [
    'the only family types are sum, min and max of int64 (data-model.md K8)',
    'Type.bytesType Type.stringType Type.int64Type Type.float32Type Type.float64Type Type.boolType Type.timestampType Type.dateType Type.structType Type.arrayType Type.mapType Type.protoType Type.enumType ' +
      'Aggregate.stateType Aggregate.hllppUniqueCount Aggregate.inputType',
  ],
  ['fields that the server sets', 'Table.clusterStates Table.restoreInfo'],
  [
    'kept by the server; engines have none of them',
    'Table.changeStreamConfig Table.automatedBackupPolicy Table.rowKeySchema',
  ],
  ['the server issues no warnings', 'ignoreWarnings'],
  [
    'pagination is tested in test/server/admin.test.ts',
    'ListTablesRequest.pageSize ListTablesRequest.pageToken ListTablesRequest.view',
  ],
];
const excluded = new Set(excludedFields.flatMap(([, fields]) => fields.split(' ')));

/** Methods, and fields as `Message.field`. */
function allMethodsAndFields(): Set<string> {
  const all = new Set<string>();
  const walk = ({ name, fieldsArray }: Type): void => {
    for (const field of fieldsArray) {
      const full = `${name}.${field.name}`;
      if (excluded.has(full) || excluded.has(field.name) || all.has(full)) continue;
      all.add(full);
      if (field.resolve().resolvedType instanceof Type) walk(field.resolvedType as Type);
    }
  };
  for (const service of Object.values(services)) {
    for (const [name, { resolvedRequestType }] of Object.entries(
      published.lookupService(service).methods,
    )) {
      if (!methods.includes(name)) continue;
      all.add(name);
      walk(resolvedRequestType!);
    }
  }
  return all;
}

/** Methods and fields that no request has used yet. */
export class RequestCoverage {
  readonly #uncovered = allMethodsAndFields();

  /** Methods and fields that were never used. */
  missing(): readonly string[] {
    return [...this.#uncovered];
  }

  record(service: keyof typeof services, method: string, request: object): void {
    if (this.#uncovered.size === 0) return;
    this.#uncovered.delete(method);
    this.#walk(
      published.lookupService(services[service]).methods[method].resolvedRequestType!,
      request,
    );
  }

  #walk(type: Type, message: object): void {
    for (const [name, value] of Object.entries(message) as [string, unknown][]) {
      const field = type.fields[name];
      if (field === undefined || value === undefined) continue;
      if (Array.isArray(value) && value.length === 0) continue;
      this.#uncovered.delete(`${type.name}.${name}`);
      if (!(field.resolvedType instanceof Type)) continue;
      for (const inner of messagesOf(field, value)) this.#walk(field.resolvedType, inner);
    }
  }
}

/** The messages of a repeated, map or single field. */
function messagesOf(field: Field, value: unknown): readonly object[] {
  if (Array.isArray(value)) return value as object[];
  if (field.map) return Object.values(value as object) as object[];
  return [value as object];
}

/** A client that records the coverage of its requests. */
export class RecordingClient extends RawClient {
  readonly #coverage: RequestCoverage;

  constructor(address: string, coverage: RequestCoverage) {
    super(address);
    this.#coverage = coverage;
  }

  override call(
    service: keyof typeof services,
    method: string,
    request: object,
    deadline?: number,
  ): Promise<CallResult> {
    this.#coverage.record(service, method, request);
    return super.call(service, method, request, deadline);
  }
}
