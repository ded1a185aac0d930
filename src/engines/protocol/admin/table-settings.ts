/**
 * Settings of a table that the server checks, keeps and returns, and that have no other effect
 * (table.proto). Encoded as they are kept.
 */
import { RowsmithError, type FaultTexts } from '../../../base/index.js';
import { messageType, one, type ContentOf } from '../../../data/cell/index.js';
import {
  AutomatedBackupPolicy,
  ChangeStreamConfig,
  RowKeySchema,
  type RowKeySchemaContent,
} from '../messages/key-schema-messages.js';
import { TableMessage, type UpdateTableRequest } from '../messages/table-messages.js';
import { requestError, unsupportedRequest } from '../request-error.js';
import { applyMask } from './field-mask.js';
import { microsOfDuration } from './table-options.js';
import { rejectUnknownFields } from './unknown-field.js';

type TableContent = ContentOf<typeof TableMessage>;

/** The settings, encoded. A server sets `restoreInfo`, and it stays. */
export type TableSettings = Pick<
  TableContent,
  'changeStreamConfig' | 'automatedBackupPolicy' | 'rowKeySchema' | 'restoreInfo'
>;

/** The same fields of a table, decoded. */
const Settings = messageType('google.bigtable.admin.v2.Table', {
  changeStreamConfig: one(8, ChangeStreamConfig),
  automatedBackupPolicy: one(13, AutomatedBackupPolicy, 'automatedBackupConfig'),
  rowKeySchema: one(15, RowKeySchema),
});
type SettingsContent = ContentOf<typeof Settings>;

const settingPaths = ['change_stream_config', 'automated_backup_policy', 'row_key_schema'];
const dayMicros = 86_400e6;
/** Days of the limits in table.proto: the least and the most. */
const retentionDays = { changeStream: [1, 7], backup: [3, 90] } as const;

/** The settings of a new table; INVALID_ARGUMENT if they are outside Bigtable's limits. */
export function checkedSettings(table: TableContent): TableSettings {
  const families = [...(table.columnFamilies?.keys() ?? [])];
  return encodeSettings(checked(decodeSettings(table), families));
}

/** What an UpdateTable changes. */
export interface TableChange {
  /** Undefined if it stays. */
  readonly deletionProtection: boolean | undefined;
  readonly settings: TableSettings;
}

/**
 * The changes of a request; its mask decides what changes, and `current` is kept otherwise.
 * `families` are the families that the table has.
 */
export function decodeTableChange(
  { table = {}, updateMask, ignoreWarnings }: ContentOf<typeof UpdateTableRequest>,
  current: TableSettings,
  families: Iterable<string>,
): TableChange {
  const { paths = [] } = updateMask ?? {};
  if (paths.length === 0) throw requestError('update_mask', faults.missingMask);
  // Bigtable's answer for families (bigtable_table_admin.proto, UpdateTableRequest.update_mask).
  if (paths.includes('column_families'))
    throw unsupportedRequest('update_mask', faults.familiesInMask);
  const others = paths.filter((path) => path !== 'deletion_protection');
  let settings = current;
  if (others.length > 0) {
    const before = decodeSettings(current);
    const update = decodeSettings(table);
    const masked = applyMask(Settings.shape, before, update, others, settingPaths);
    const after = checked(masked, [...families]);
    settings = { ...encodeSettings(after), restoreInfo: current.restoreInfo };
    checkKeySchema(current, settings, ignoreWarnings);
  }
  let deletionProtection: boolean | undefined;
  if (others.length < paths.length) deletionProtection = table.deletionProtection ?? false;
  return { deletionProtection, settings };
}

function decodeSettings({
  changeStreamConfig,
  automatedBackupPolicy,
  rowKeySchema,
}: TableSettings): SettingsContent {
  return Settings.decode(
    TableMessage.encode({ changeStreamConfig, automatedBackupPolicy, rowKeySchema }),
  );
}

function encodeSettings(settings: SettingsContent): TableSettings {
  const { changeStreamConfig, automatedBackupPolicy, rowKeySchema } = TableMessage.decode(
    Settings.encode(settings),
  );
  return { changeStreamConfig, automatedBackupPolicy, rowKeySchema };
}

function checked(settings: SettingsContent, families: readonly string[]): SettingsContent {
  rejectUnknownFields(Settings.shape, settings);
  const { changeStreamConfig: stream, automatedBackupPolicy: backup, rowKeySchema } = settings;
  if (stream !== undefined)
    checkDays('change_stream_config', stream.retentionPeriod, retentionDays.changeStream);
  if (backup !== undefined) {
    checkDays('automated_backup_policy', backup.retentionPeriod, retentionDays.backup);
    if (backup.frequency !== undefined && microsOfDuration(backup.frequency) !== dayMicros)
      throw requestError('automated_backup_policy.frequency', faults.otherFrequency);
  }
  if (rowKeySchema !== undefined) checkKeyFields(rowKeySchema, families);
  return settings;
}

/** Reserved names, which a query could not tell from a part of the key. */
const queryNames = ['_key', '_timestamp'];
const maxDelimiterBytes = 50;

/** The invariants of Table.row_key_schema (table.proto), and of encodings (types.proto). */
function checkKeyFields(
  { fields = [], encoding }: RowKeySchemaContent,
  families: readonly string[],
): void {
  if (fields.length === 0) throw requestError('row_key_schema.fields', faults.missingKeyField);
  if (encoding === undefined || Object.keys(encoding).length === 0)
    throw requestError('row_key_schema.encoding', faults.missingEncoding);
  if (encoding.singleton !== undefined && fields.length > 1)
    throw requestError('row_key_schema.encoding', faults.severalInSingleton);
  const { length = 0 } = encoding.delimitedBytes?.delimiter ?? {};
  if (encoding.delimitedBytes !== undefined && (length < 1 || length > maxDelimiterBytes))
    throw requestError('row_key_schema.encoding', faults.delimiterOutOfRange);
  const names = [...families, ...queryNames];
  for (const { fieldName = '', type } of fields) {
    if (fieldName === '') throw requestError('row_key_schema.fields', faults.unnamedField);
    if (names.includes(fieldName))
      throw requestError('row_key_schema.fields', faults.takenName(fieldName));
    if (!Object.values(type ?? {}).some(({ encoding: own }) => own !== undefined))
      throw requestError('row_key_schema.fields', faults.fieldWithoutEncoding(fieldName));
  }
}

function checkDays(
  field: string,
  period: Parameters<typeof microsOfDuration>[0],
  [least, most]: readonly [number, number],
): void {
  const micros = microsOfDuration(period);
  if (micros >= least * dayMicros && micros <= most * dayMicros) return;
  throw requestError(`${field}.retention_period`, faults.retentionOutOfRange(least, most));
}

/** A row_key_schema is set once, and removed only if the request ignores warnings. */
function checkKeySchema(
  { rowKeySchema: before }: TableSettings,
  { rowKeySchema: after }: TableSettings,
  ignoreWarnings = false,
): void {
  if (before === undefined || (after !== undefined && Buffer.from(before).equals(after))) return;
  if (after !== undefined)
    throw new RowsmithError('FAILED_PRECONDITION', {
      property: 'row_key_schema',
      ...faults.changedKeySchema,
    });
  // The status is in table.proto.
  if (!ignoreWarnings) throw requestError('row_key_schema', faults.removedKeySchema);
}

const faults = {
  missingMask: { problem: 'The update mask must be specified' },
  familiesInMask: { problem: 'Column families are changed by ModifyColumnFamilies.' },
  retentionOutOfRange: (least: number, most: number) => ({
    problem: `The retention period must be ${least} to ${most} days.`,
  }),
  otherFrequency: { problem: 'The frequency must be 24 hours.' },
  missingKeyField: { problem: 'A row_key_schema needs at least one field.' },
  missingEncoding: { problem: 'A row_key_schema needs an encoding.' },
  severalInSingleton: { problem: 'The encoding singleton is for a single field.' },
  delimiterOutOfRange: { problem: `A delimiter has 1 to ${maxDelimiterBytes} bytes.` },
  unnamedField: { problem: 'Every field of a row_key_schema needs a name.' },
  takenName: (fieldName: string) => ({
    problem: `The name '${fieldName}' is reserved, or a family of the table has it.`,
  }),
  fieldWithoutEncoding: (fieldName: string) => ({
    problem: `The type of '${fieldName}' needs an encoding.`,
  }),
  removedKeySchema: { problem: 'A row_key_schema is removed only with ignore_warnings.' },
  changedKeySchema: { problem: 'A row_key_schema cannot be changed. Remove it first.' },
} satisfies FaultTexts;
