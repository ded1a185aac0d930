/** Settings of tables in the config, which change a table but not what is stored in it. */
import { suggestionText, valueText } from '../../base/index.js';
import { durationMicros, type Duration } from '../../entities/model/index.js';
import type { TableUpdate } from '../../data/store/index.js';
import type { TableSettings } from '../define-config.js';
import { configError } from './config-fault.js';

const names = ['deletionProtection', 'changeStream', 'automatedBackup', 'rowKeySchema'] as const;
const dayMicros = 86_400e6;
const defaultBackupDays = 3;

/** Checks the setting `tables` of a config. Throws INVALID_CONFIG. */
export function checkTableSettings(file: string, tables: unknown): void {
  if (tables === undefined) return;
  const example = "tables: { readings: { deletionProtection: true, changeStream: '3d' } }";
  if (typeof tables !== 'object' || tables === null || Array.isArray(tables))
    throw configError(file, `tables is ${valueText(tables)}, not a plain object`, example);
  for (const [table, settings] of Object.entries(tables as Record<string, unknown>)) {
    const path = `tables.${table}`;
    if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
      throw configError(file, `${path} is ${valueText(settings)}, not a plain object`, example);
    for (const [name, value] of Object.entries(settings)) checkSetting(file, path, name, value);
  }
}

function checkSetting(file: string, path: string, name: string, value: unknown): void {
  const setting = names.find((each) => each === name);
  if (setting === undefined)
    throw configError(
      file,
      `${path}: there is no setting '${name}'`,
      suggestionText(name, names, 'the settings of a table are'),
    );
  if (value === undefined) return;
  if (setting === 'changeStream') {
    if (value !== false) checkDays(file, `${path}.${name}`, value, { min: 1, max: 7 });
  } else if (setting === 'automatedBackup') {
    if (typeof value !== 'boolean')
      checkDays(file, `${path}.${name}`, value, { min: defaultBackupDays, max: 90 });
  } else if (typeof value !== 'boolean')
    throw configError(file, `${path}.${name} is ${valueText(value)}`, 'give true or false');
}

function checkDays(
  file: string,
  path: string,
  value: unknown,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  const isDuration = typeof value === 'string' && /^\d+(ms|s|m|h|d)$/.test(value);
  const micros = isDuration ? durationMicros(value) : NaN;
  if (micros >= min * dayMicros && micros <= max * dayMicros) return;
  throw configError(
    file,
    `${path} is ${valueText(value)}`,
    `give '${min}d' to '${max}d', or false`,
  );
}

/**
 * The settings as engines take them, except for the row key schema, which follows from the
 * entities.
 */
export function settingsUpdate(settings: TableSettings): Omit<TableUpdate, 'rowKeySchema'> {
  const { deletionProtection, changeStream, automatedBackup } = settings;
  return {
    deletionProtection,
    changeStreamMicros: changeStream === false ? null : optionalMicros(changeStream),
    automatedBackup: backupOf(automatedBackup),
  };
}

function optionalMicros(duration: Duration | undefined): number | undefined {
  if (duration === undefined) return undefined;
  return durationMicros(duration);
}

function backupOf(setting: TableSettings['automatedBackup']): TableUpdate['automatedBackup'] {
  if (setting === undefined) return undefined;
  if (setting === false) return null;
  const retentionMicros =
    setting === true ? defaultBackupDays * dayMicros : durationMicros(setting);
  return { retentionMicros, frequencyMicros: dayMicros };
}
