/** Settings of a table: messages of the admin API <-> types of the store layer. */
import type { TableSchema, TableUpdate } from '../../../data/store/index.js';
import {
  AutomatedBackupPolicy,
  ChangeStreamConfig,
  RowKeySchema,
  type RowKeySchemaContent,
} from '../messages/key-schema-messages.js';
import type { ContentOf } from '../../../data/cell/index.js';
import type { ProtoDuration } from '../messages/operation-messages.js';
import type { TableMessage } from '../messages/table-messages.js';

type TableContent = ContentOf<typeof TableMessage>;
type Options = Pick<TableSchema, 'changeStreamMicros' | 'automatedBackup' | 'rowKeySchema'>;
type OptionFields = Pick<
  TableContent,
  'changeStreamConfig' | 'automatedBackupPolicy' | 'rowKeySchema'
>;

/** The fields of a table that are neither families nor its protection. */
export function encodeTableOptions({
  changeStreamMicros,
  automatedBackup,
  rowKeySchema,
}: Pick<TableUpdate, keyof Options>): OptionFields {
  const fields: OptionFields = {};
  if (typeof changeStreamMicros === 'number')
    fields.changeStreamConfig = ChangeStreamConfig.encode({
      retentionPeriod: durationOf(changeStreamMicros),
    });
  if (automatedBackup !== undefined && automatedBackup !== null)
    fields.automatedBackupPolicy = AutomatedBackupPolicy.encode({
      retentionPeriod: durationOf(automatedBackup.retentionMicros),
      frequency: durationOf(automatedBackup.frequencyMicros),
    });
  if (rowKeySchema !== undefined && rowKeySchema !== null) fields.rowKeySchema = rowKeySchema;
  return fields;
}

/** The settings of a table's message; absent ones are not set. */
export function decodeTableOptions({
  changeStreamConfig,
  automatedBackupPolicy,
  rowKeySchema,
}: TableContent): Options {
  const options: { -readonly [K in keyof Options]: Options[K] } = {};
  if (changeStreamConfig !== undefined) {
    const { retentionPeriod } = ChangeStreamConfig.decode(changeStreamConfig);
    options.changeStreamMicros = microsOfDuration(retentionPeriod);
  }
  if (automatedBackupPolicy !== undefined) {
    const { retentionPeriod, frequency } = AutomatedBackupPolicy.decode(automatedBackupPolicy);
    options.automatedBackup = {
      retentionMicros: microsOfDuration(retentionPeriod),
      frequencyMicros: microsOfDuration(frequency),
    };
  }
  if (rowKeySchema !== undefined)
    options.rowKeySchema = RowKeySchema.encode(RowKeySchema.decode(rowKeySchema));
  return options;
}

/** The request that changes settings of a table, without its name. */
export function encodeTableUpdate({ deletionProtection, ...options }: TableUpdate): {
  readonly table: TableContent;
  readonly paths: readonly string[];
  /** Needed to remove a row_key_schema (table.proto). */
  readonly ignoreWarnings: boolean | undefined;
} {
  const paths: string[] = [];
  if (deletionProtection !== undefined) paths.push('deletion_protection');
  if (options.changeStreamMicros !== undefined) paths.push('change_stream_config');
  if (options.automatedBackup !== undefined) paths.push('automated_backup_policy');
  if (options.rowKeySchema !== undefined) paths.push('row_key_schema');
  return {
    table: { deletionProtection, ...encodeTableOptions(options) },
    paths,
    ignoreWarnings: options.rowKeySchema === null ? true : undefined,
  };
}

/** The bytes of a row_key_schema; delimiters of the JSON form are in base64. */
export function encodeRowKeySchema(struct: {
  readonly fields: readonly { readonly fieldName: string; readonly type: object }[];
  readonly encoding: object;
}): Uint8Array {
  const encoding = struct.encoding as { readonly delimitedBytes?: { readonly delimiter: string } };
  const content = { fields: struct.fields, encoding: struct.encoding } as RowKeySchemaContent;
  const { delimitedBytes } = encoding;
  if (delimitedBytes !== undefined) {
    const delimiter = new Uint8Array(Buffer.from(delimitedBytes.delimiter, 'base64'));
    content.encoding = { delimitedBytes: { delimiter } };
  }
  return RowKeySchema.encode(content);
}

function durationOf(micros: number): ContentOf<typeof ProtoDuration> {
  return { seconds: BigInt(Math.floor(micros / 1e6)), nanos: (micros % 1e6) * 1e3 };
}

/** Microseconds of a duration; 0 without one. */
export function microsOfDuration({
  seconds = 0n,
  nanos = 0,
}: ContentOf<typeof ProtoDuration> = {}): number {
  return Number(seconds) * 1e6 + Math.floor(nanos / 1e3);
}
