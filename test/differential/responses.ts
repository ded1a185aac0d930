/**
 * Which methods and fields of Google's published messages a campaign said, and which of those there
 * are it never said.
 */
import { Type } from 'protobufjs';
import { published } from '../protocol/published.js';
import { RawClient, type Answer } from '../server/raw-client.js';

const services = {
  data: 'google.bigtable.v2.Bigtable',
  tables: 'google.bigtable.admin.v2.BigtableTableAdmin',
} as const;

/**
 * Methods that are part of what histories do; test/server/unimplemented.test.ts holds all others to
 * UNIMPLEMENTED.
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

/** Fields of which histories say nothing, and why. */
export const unsaid: readonly (readonly [reason: string, fields: string])[] = [
  ['views of tables are not offered', 'authorizedViewName materializedViewName'],
  ['the server keeps no record of requests', 'idempotency'],
  [
    'values of SQL are not offered',
    'Value.type Value.bytesValue Value.stringValue Value.boolValue Value.floatValue Value.timestampValue Value.dateValue Value.arrayValue',
  ],
  [
    'types of families are int64 in sums, least and greatest (FIDELITY.md, K8)',
    'Type.bytesType Type.stringType Type.int64Type Type.float32Type Type.float64Type Type.boolType Type.timestampType Type.dateType Type.structType Type.arrayType Type.mapType Type.protoType Type.enumType ' +
      'Aggregate.stateType Aggregate.hllppUniqueCount Aggregate.inputType',
  ],
  ['set by the server', 'Table.clusterStates Table.restoreInfo'],
  ['not offered', 'Table.changeStreamConfig Table.automatedBackupPolicy Table.rowKeySchema'],
  ['there is nothing to warn of', 'ignoreWarnings'],
  [
    'pages of lists: test/server/admin.test.ts',
    'ListTablesRequest.pageSize ListTablesRequest.pageToken ListTablesRequest.view',
  ],
];
const left = new Set(unsaid.flatMap(([, fields]) => fields.split(' ')));

/** Everything to be said: methods, and fields as `Message.field`. */
function everything(): Set<string> {
  const all = new Set<string>();
  const walk = ({ name, fieldsArray }: Type): void => {
    for (const field of fieldsArray) {
      const full = `${name}.${field.name}`;
      if (left.has(full) || left.has(field.name) || all.has(full)) continue;
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

/** What requests have not said yet. */
export class Said {
  readonly #missing = everything();

  /** What was never said. */
  never(): readonly string[] {
    return [...this.#missing];
  }

  note(service: keyof typeof services, method: string, request: object): void {
    if (this.#missing.size === 0) return;
    this.#missing.delete(method);
    this.#walk(
      published.lookupService(services[service]).methods[method].resolvedRequestType!,
      request,
    );
  }

  #walk(type: Type, message: object): void {
    for (const [name, value] of Object.entries(message) as [string, unknown][]) {
      const field = type.fields[name];
      if (field === undefined || (Array.isArray(value) && value.length === 0)) continue;
      this.#missing.delete(`${type.name}.${name}`);
      if (!(field.resolvedType instanceof Type)) continue;
      const inner = Array.isArray(value)
        ? value
        : field.map
          ? Object.values(value as object)
          : [value];
      for (const one of inner as object[]) this.#walk(field.resolvedType, one);
    }
  }
}

/** A client whose requests are noted. */
export class NotedClient extends RawClient {
  readonly #said: Said;

  constructor(address: string, said: Said) {
    super(address);
    this.#said = said;
  }

  override call(
    service: keyof typeof services,
    method: string,
    request: object,
    deadline?: number,
  ): Promise<Answer> {
    this.#said.note(service, method, request);
    return super.call(service, method, request, deadline);
  }
}
