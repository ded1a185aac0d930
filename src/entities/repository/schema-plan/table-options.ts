/** Settings of tables beside families: how stored ones differ from declared ones. */
import { durationText, equalBytes } from '../../../base/index.js';
import type { AutomatedBackup, TableSchema, TableUpdate } from '../../../data/store/index.js';
import type { SchemaStep, OptionChange, OptionName } from './step.js';

/**
 * The settings that differ, in the order in which they are applied: the protection last, so that
 * it does not stand in the way of other steps. Settings that are not declared are left alone.
 */
export function optionChanges(
  table: string,
  stored: TableSchema | undefined,
  declared: TableUpdate,
): readonly OptionChange[] {
  return [
    keySchemaChange(table, stored, declared),
    changeStreamChange(table, stored, declared),
    backupChange(table, stored, declared),
    protectionChange(table, stored, declared),
  ].filter((change) => change !== undefined);
}

function keySchemaChange(
  table: string,
  stored: TableSchema | undefined,
  { rowKeySchema: to }: TableUpdate,
): OptionChange | undefined {
  if (to === undefined) return undefined;
  const from = stored?.rowKeySchema;
  if (to === null) {
    if (from === undefined) return undefined;
    return option(table, 'rowKeySchema', ['on', 'off'], { rowKeySchema: null }, 'off');
  }
  if (from !== undefined && equalBytes(from, to)) return undefined;
  const effect = from === undefined ? 'on' : 'other';
  const texts = [effect === 'on' ? 'off' : 'another schema', 'of the declared key'] as const;
  return option(table, 'rowKeySchema', texts, { rowKeySchema: to }, effect);
}

function changeStreamChange(
  table: string,
  stored: TableSchema | undefined,
  { changeStreamMicros: to }: TableUpdate,
): OptionChange | undefined {
  const from = stored?.changeStreamMicros;
  if (to === undefined || (to ?? undefined) === from) return undefined;
  const texts = [microsText(from), microsText(to ?? undefined)] as const;
  return option(table, 'changeStream', texts, { changeStreamMicros: to }, effectOf(from, to));
}

function backupChange(
  table: string,
  stored: TableSchema | undefined,
  { automatedBackup: to }: TableUpdate,
): OptionChange | undefined {
  const from = stored?.automatedBackup;
  if (to === undefined || backupText(from) === backupText(to ?? undefined)) return undefined;
  const texts = [backupText(from), backupText(to ?? undefined)] as const;
  const effect = effectOf(from?.retentionMicros, to === null ? null : to.retentionMicros);
  return option(table, 'automatedBackup', texts, { automatedBackup: to }, effect);
}

function protectionChange(
  table: string,
  stored: TableSchema | undefined,
  { deletionProtection: to }: TableUpdate,
): OptionChange | undefined {
  const from = stored?.deletionProtection ?? false;
  if (to === undefined || to === from) return undefined;
  const [on, off] = ['on', 'off'] as const;
  const texts = to ? ([off, on] as const) : ([on, off] as const);
  return option(table, 'deletionProtection', texts, { deletionProtection: to }, to ? on : off);
}

function option(
  table: string,
  name: OptionName,
  [from, to]: readonly [string, string],
  update: TableUpdate,
  effect: OptionChange['effect'],
): OptionChange {
  return { kind: 'setOption', table, option: name, from, to, update, effect };
}

function effectOf(from: number | undefined, to: number | null): OptionChange['effect'] {
  if (to === null) return 'off';
  if (from === undefined) return 'on';
  return to >= from ? 'more' : 'less';
}

function microsText(micros: number | undefined): string {
  if (micros === undefined) return 'off';
  return durationText(micros / 1000);
}

function backupText(backup: AutomatedBackup | undefined): string {
  if (backup === undefined) return 'off';
  const { retentionMicros, frequencyMicros } = backup;
  return `every ${microsText(frequencyMicros)}, kept ${microsText(retentionMicros)}`;
}

const names: Readonly<Record<OptionName, string>> = {
  rowKeySchema: 'row key schemas',
  changeStream: 'change streams',
  automatedBackup: 'automated backups',
  deletionProtection: 'deletion protection',
};

/** How safe a changed setting is, and what follows from it. */
export function optionSafety(
  { option: name, effect }: OptionChange,
  isLive: boolean,
): Omit<SchemaStep, 'change'> {
  if (!isLive && name !== 'deletionProtection')
    return {
      safety: 'safe',
      consequence: `This database does not offer ${names[name]}: nothing is set.`,
      applies: false,
    };
  const [safety, consequence] = consequences[name][effect] ?? consequences[name].on;
  return { safety, consequence, applies: safety !== 'impossible' };
}

type Outcome = readonly [safety: SchemaStep['safety'], consequence: string];
type Outcomes = Readonly<
  Partial<Record<OptionChange['effect'], Outcome>> & { readonly on: Outcome }
>;

const consequences: Readonly<Record<OptionName, Outcomes>> = {
  rowKeySchema: {
    on: [
      'safe',
      'SQL reads the segments of keys by name, and such queries fail at keys that do not decode: ' +
        'check them with rowsmith keys verify before.',
    ],
    off: ['unsafe-live', 'SQL queries that name segments of the key fail from then on.'],
    other: [
      'impossible',
      'A row key schema cannot be changed: remove it with rowKeySchema: false, apply, and set it again.',
    ],
  },
  changeStream: {
    on: ['safe', 'Changes are recorded from now on, which takes storage for their retention.'],
    more: ['safe', 'Records are kept longer, which takes more storage.'],
    less: ['data-losing', 'Records older than the new retention can no longer be read.'],
    off: ['data-losing', 'Deletes the recorded changes; programs that read the stream fail.'],
  },
  automatedBackup: {
    on: ['safe', 'Bigtable makes backups by itself, which take storage.'],
    less: ['unsafe-live', 'New backups are kept for a shorter time; those that exist stay.'],
    off: ['unsafe-live', 'No new backups are made; those that exist are kept until they expire.'],
  },
  deletionProtection: {
    on: ['safe', 'The table and its families cannot be deleted until it is turned off.'],
    off: ['unsafe-live', 'The table and its families can be deleted from then on.'],
  },
};
