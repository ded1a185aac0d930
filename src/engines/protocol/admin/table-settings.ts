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
  return encodeSettings(checked(decodeSettings(table)));
}

/** What an UpdateTable changes. */
export interface TableChange {
  /** Undefined if it stays. */
  readonly deletionProtection: boolean | undefined;
  readonly settings: TableSettings;
}

/** The changes of a request; its mask decides what changes, and `current` is kept otherwise. */
export function decodeTableChange(
  { table = {}, updateMask, ignoreWarnings }: ContentOf<typeof UpdateTableRequest>,
  current: TableSettings,
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
    const after = checked(applyMask(Settings.shape, before, update, others, settingPaths));
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

function checked(settings: SettingsContent): SettingsContent {
  rejectUnknownFields(Settings.shape, settings);
  const { changeStreamConfig: stream, automatedBackupPolicy: backup, rowKeySchema } = settings;
  if (stream !== undefined)
    checkDays('change_stream_config', stream.retentionPeriod, retentionDays.changeStream);
  if (backup !== undefined) {
    checkDays('automated_backup_policy', backup.retentionPeriod, retentionDays.backup);
    if (backup.frequency !== undefined && microsOfDuration(backup.frequency) !== dayMicros)
      throw requestError('automated_backup_policy.frequency', faults.otherFrequency);
  }
  if (rowKeySchema !== undefined) {
    const { fields = [], encoding } = rowKeySchema;
    if (fields.length === 0) throw requestError('row_key_schema.fields', faults.missingKeyField);
    if (encoding === undefined || Object.keys(encoding).length === 0)
      throw requestError('row_key_schema.encoding', faults.missingEncoding);
  }
  return settings;
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
  const fault = after === undefined ? faults.removedKeySchema : faults.changedKeySchema;
  if (after !== undefined || !ignoreWarnings)
    throw new RowsmithError('FAILED_PRECONDITION', { property: 'row_key_schema', ...fault });
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
  removedKeySchema: { problem: 'A row_key_schema is removed only with ignore_warnings.' },
  changedKeySchema: { problem: 'A row_key_schema cannot be changed. Remove it first.' },
} satisfies FaultTexts;
