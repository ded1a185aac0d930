/** Checks the config: it may come from JavaScript, which has no types. */
import { suggestionText, valueText, type FaultTexts } from '../../base/index.js';
import { lintOptionsFault } from '../../tools/lint/index.js';
import { isWorkload } from '../../tools/simulate/index.js';
import type { RowsmithConfig } from '../define-config.js';
import { configError } from './config-fault.js';
import { checkTableSettings } from './table-settings.js';
import { defaultExport, type Exports } from './load-module.js';

const example = "export default defineConfig({ entities: [Reading], url: 'file:./data' })";
const settings = [
  'entities',
  'url',
  'output',
  'lock',
  'lint',
  'workloads',
  'seed',
  'tables',
] as const;

/** The config that a module exports by default. Throws INVALID_CONFIG. */
export function checkConfig(file: string, module: Exports): RowsmithConfig {
  const config = defaultExport(module);
  if (config === undefined)
    throw configError(file, { problem: noDefaultText(module), fix: example });
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw configError(file, faults.wrongExport(valueText(config)));
  const values = config as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(values)) checkName(file, name);
  for (const name of ['url', 'output', 'lock', 'seed']) checkText(file, name, values[name]);
  checkEntities(file, values.entities);
  checkLint(file, values.lint);
  checkWorkloads(file, values.workloads);
  checkTableSettings(file, values.tables);
  return config as RowsmithConfig;
}

function noDefaultText(module: Exports): string {
  const names = Object.keys(module);
  if (names.length === 0) return 'it exports nothing';
  return `it has no default export, only ${names.join(', ')}`;
}

function checkName(file: string, name: string): void {
  if ((settings as readonly string[]).includes(name)) return;
  throw configError(file, faults.unknownSetting(name));
}

function checkText(file: string, name: string, value: unknown): void {
  if (value === undefined || (typeof value === 'string' && value !== '')) return;
  throw configError(file, faults.wrongText(value === '', name, valueText(value)));
}

function checkEntities(file: string, entities: unknown): void {
  if (entities === undefined) throw configError(file, faults.missingEntities);
  if (!Array.isArray(entities)) throw configError(file, faults.wrongEntities(valueText(entities)));
  entities.forEach((entity: unknown, i) => {
    if (typeof entity === 'function' || (typeof entity === 'string' && entity !== '')) return;
    throw configError(file, faults.notAnEntity(i, entity));
  });
}

function checkLint(file: string, lint: unknown): void {
  if (lint === undefined) return;
  const fault = lintOptionsFault(lint);
  if (fault !== undefined) throw configError(file, fault);
}

function checkWorkloads(file: string, workloads: unknown): void {
  if (workloads === undefined) return;
  if (!Array.isArray(workloads))
    throw configError(file, faults.wrongWorkloads(valueText(workloads)));
  const wrong = workloads.findIndex((each) => !isWorkload(each));
  if (wrong === -1) return;
  throw configError(file, faults.notAWorkload(wrong, valueText(workloads[wrong])));
}

function entityText(entity: unknown): string {
  if (entity === '') return 'empty';
  return valueText(entity);
}

function entityFix(entity: unknown): string {
  if (entity === undefined)
    return (
      'the class was not defined when the config was read: ' +
      'its import is misspelt, or part of a cycle'
    );
  return "give classes, or globs of modules: './src/entities/*.ts'";
}

const faults = {
  wrongExport: (given: string) => ({
    problem: `its default export is ${given}, not a plain object`,
    fix: example,
  }),
  unknownSetting: (name: string) => ({
    problem: `there is no setting '${name}'`,
    fix: suggestionText(name, settings, 'the settings are'),
  }),
  wrongText: (isEmpty: boolean, name: string, given: string) => ({
    problem: isEmpty ? `${name} is empty` : `${name} is ${given}`,
    fix: `give ${name} as text, or leave it out`,
  }),
  missingEntities: { problem: 'entities is missing', fix: example },
  wrongEntities: (given: string) => ({ problem: `entities is ${given}, not a list`, fix: example }),
  notAnEntity: (i: number, entity: unknown) => ({
    problem: `entities[${i}] is ${entityText(entity)}`,
    fix: entityFix(entity),
  }),
  wrongWorkloads: (given: string) => ({
    problem: `workloads is ${given}, not a list`,
    fix: 'write workloads: [defineWorkload(Reading, { ... })]',
  }),
  notAWorkload: (wrong: number, given: string) => ({
    problem: `workloads[${wrong}] is ${given}`,
    fix: 'give results of defineWorkload(Reading, { ... })',
  }),
} satisfies FaultTexts;
