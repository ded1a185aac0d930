/** The pages of ListBackups. */
import type { FaultTexts } from '../../base/index.js';
import {
  Backup,
  requestError,
  type ContentOf,
  type ListBackupsRequest,
  type ListBackupsResponse,
} from '../../engines/protocol/index.js';
import type { BackupContent } from '../resources/stored-backups.js';
import { backupFilter, backupOrder } from './list-filter.js';

/** The page of the backups that a request asks for; a size of 0 or less means all. */
export function pageOfBackups(
  backups: readonly BackupContent[],
  { filter, orderBy, pageSize = 0, pageToken = '' }: ContentOf<typeof ListBackupsRequest>,
): ContentOf<typeof ListBackupsResponse> {
  const order = backupOrder(orderBy);
  const last = pageToken === '' ? undefined : lastOf(pageToken);
  const rest = backups
    .filter(backupFilter(filter))
    .filter((backup) => last === undefined || order(backup, last) > 0)
    .sort(order);
  if (pageSize <= 0 || rest.length <= pageSize) return { backups: rest };
  const page = rest.slice(0, pageSize);
  return { backups: page, nextPageToken: tokenOf(page[pageSize - 1]) };
}

/** The token of the page after a backup: the backup itself, as any field may be in the order. */
function tokenOf(last: BackupContent): string {
  return Buffer.from(Backup.encode(last)).toString('base64url');
}

function lastOf(token: string): BackupContent {
  const bytes = Buffer.from(token, 'base64url');
  let last: BackupContent = {};
  try {
    last = Backup.decode(bytes);
  } catch {
    // Refused below: it has no name.
  }
  if (last.name === undefined || bytes.toString('base64url') !== token)
    throw requestError('page_token', faults.unknownPageToken);
  return last;
}

const faults = {
  unknownPageToken: { problem: 'page_token must be a next_page_token of an earlier call' },
} satisfies FaultTexts;
