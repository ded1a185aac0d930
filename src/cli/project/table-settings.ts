/** Settings of tables in the config, which change a table but not what is stored in it. */
import { suggestionText, valueText, type FaultTexts } from '../../base/index.js';
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
    throw configError(file, faults.wrongTables(valueText(tables), example));
  for (const [table, settings] of Object.entries(tables as Record<string, unknown>)) {
    const path = `tables.${table}`;
    if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
      throw configError(file, faults.wrongTable(path, settings, example));
    for (const [name, value] of Object.entries(settings)) checkSetting(file, path, name, value);
  }
}

function checkSetting(file: string, path: string, name: string, value: unknown): void {
  const setting = names.find((each) => each === name);
  if (setting === undefined) throw configError(file, faults.unknownSetting(path, name));
  if (value === undefined) return;
  if (setting === 'changeStream') {
    if (value !== false) checkDays(file, `${path}.${name}`, value, { min: 1, max: 7 });
  } else if (setting === 'automatedBackup') {
    if (typeof value !== 'boolean')
      checkDays(file, `${path}.${name}`, value, { min: defaultBackupDays, max: 90 });
  } else if (typeof value !== 'boolean')
    throw configError(file, faults.notABoolean(path, name, valueText(value)));
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
  throw configError(file, faults.wrongRetention(path, value, min, max));
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

const faults = {
  wrongTables: (given: string, example: string) => ({
    problem: `tables is ${given}, not a plain object`,
    fix: example,
  }),
  wrongTable: (path: string, settings: unknown, example: string) => ({
    problem: `${path} is ${valueText(settings)}, not a plain object`,
    fix: example,
  }),
  unknownSetting: (path: string, name: string) => ({
    problem: `${path}: there is no setting '${name}'`,
    fix: suggestionText(name, names, 'the settings of a table are'),
  }),
  notABoolean: (path: string, name: string, given: string) => ({
    problem: `${path}.${name} is ${given}`,
    fix: 'give true or false',
  }),
  wrongRetention: (path: string, value: unknown, min: number, max: number) => ({
    problem: `${path} is ${valueText(value)}`,
    fix: `give '${min}d' to '${max}d', or false`,
  }),
} satisfies FaultTexts;
