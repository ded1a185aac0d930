/** What a backup may contain (table.proto, Backup), and what clients see of it. */
import { dayMs, hourMs, type FaultTexts } from '../../base/index.js';
import {
  applyMask,
  Backup,
  backupState,
  backupType,
  defaultEncryption,
  requestError,
  type BackupInfo,
  type ContentOf,
} from '../../engines/protocol/index.js';
import type { BackupContent, KeptBackup } from '../resources/stored-backups.js';

/** Limits of `expire_time`, after the backup or the copy was requested. */
const minExpiryMs = 6 * hourMs;
const maxExpiryMs = 90 * dayMs;
const maxCopyExpiryMs = 30 * dayMs;
/** The least time for which a backup is hot. */
const minHotMs = 24 * hourMs;
/** What an update may change. */
const mutableFields = ['expire_time', 'hot_to_standard_time'];

/** The backup that a request creates under the name; what the server sets is replaced. */
export function newBackup(
  name: string,
  { name: given = '', sourceTable, expireTime, ...content }: BackupContent,
  startTime: Date,
): KeptBackup['backup'] {
  if (given !== '' && given !== name)
    throw requestError('backup.name', faults.wrongName(given, name));
  const backup = {
    name,
    sourceTable,
    expireTime: checkedExpiry(expireTime, startTime, maxExpiryMs),
    startTime,
    state: backupState.creating,
    encryptionInfo: { encryptionType: defaultEncryption },
    backupType: content.backupType || backupType.standard,
    hotToStandardTime: content.hotToStandardTime,
  };
  checkType(backup, startTime);
  return backup;
}

/** A copy of a backup under another name. It has the rows and the times of the source. */
export function copiedBackup(
  name: string,
  { backup: source }: KeptBackup,
  expireTime: Date | undefined,
  createTime: Date,
): KeptBackup['backup'] {
  return {
    ...source,
    name,
    sourceBackup: source.name,
    expireTime: checkedExpiry(expireTime, createTime, maxCopyExpiryMs),
    state: backupState.creating,
    // A copy is a standard backup.
    backupType: backupType.standard,
    hotToStandardTime: undefined,
  };
}

/** The backup with the fields that the mask names. */
export function updatedBackup(
  { backup: current, createTime }: KeptBackup,
  update: BackupContent,
  paths: readonly string[] | undefined,
): KeptBackup['backup'] {
  const changed = applyMask(Backup.shape, current as BackupContent, update, paths, mutableFields);
  const max = isCopy(current) ? maxCopyExpiryMs : maxExpiryMs;
  const expireTime = paths!.includes('expire_time')
    ? checkedExpiry(changed.expireTime, createTime, max)
    : current.expireTime;
  if (paths!.includes('hot_to_standard_time')) checkType(changed, createTime);
  return { ...changed, name: current.name, expireTime };
}

/** Whether a backup was copied from another one. */
export function isCopy({ sourceBackup = '' }: BackupContent): boolean {
  return sourceBackup !== '';
}

/** Bigtable's limits count from the request; a clock may be set, so that it has passed since. */
function checkedExpiry(expireTime: Date | undefined, from: Date, maxMs: number): Date {
  if (expireTime === undefined) throw requestError('expire_time', faults.missingExpiry);
  const ms = expireTime.getTime() - from.getTime();
  if (ms < minExpiryMs || ms > maxMs || expireTime.getTime() <= Date.now())
    throw requestError('expire_time', faults.expiryOutOfRange(maxMs / dayMs));
  return expireTime;
}

function checkType({ backupType: type = 0, hotToStandardTime }: BackupContent, from: Date): void {
  if (!Object.values<number>(backupType).includes(type))
    throw requestError('backup_type', faults.unknownType(type));
  if (hotToStandardTime === undefined) return;
  if (type !== backupType.hot) throw requestError('hot_to_standard_time', faults.notHot);
  if (hotToStandardTime.getTime() - from.getTime() < minHotMs)
    throw requestError('hot_to_standard_time', faults.tooSoonStandard);
}

/** The message of a backup: a hot one becomes a standard one when its time has passed. */
export function shownBackup({ backup }: KeptBackup): BackupContent {
  const { hotToStandardTime: until } = backup;
  if (until === undefined || until.getTime() > Date.now()) return backup;
  return { ...backup, backupType: backupType.standard, hotToStandardTime: undefined };
}

/** What tables and operations say about a backup. */
export function infoOf({ backup }: KeptBackup): ContentOf<typeof BackupInfo> {
  const { name, startTime, endTime, sourceTable, sourceBackup } = backup;
  return { backup: name, startTime, endTime, sourceTable, sourceBackup };
}

const faults = {
  wrongName: (given: string, name: string) => ({ problem: `'${given}' is not ${name}` }),
  missingExpiry: { problem: 'The time of expiry must be specified' },
  expiryOutOfRange: (days: number) => ({
    problem: `The time must be in the future, and 6 hours to ${days} days after the backup was requested`,
  }),
  unknownType: (type: number) => ({ problem: `There is no backup type ${type}` }),
  notHot: { problem: 'Only hot backups have this time' },
  tooSoonStandard: { problem: 'The time must be at least 24 hours after the backup was requested' },
} satisfies FaultTexts;
