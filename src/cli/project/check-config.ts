/** What the config exports, checked: it comes from JavaScript as well. */
import { nearestName } from '../../base/index.js';
import type { RowsmithConfig } from '../define-config.js';
import { configFault } from './config-fault.js';
import type { Exports } from './load-module.js';

const example = "export default defineConfig({ entities: [Reading], url: 'file:./data' })";
const settings = ['entities', 'url', 'output', 'lock'] as const;

/** The config that a module exports by default. Throws INVALID_CONFIG. */
export function checkConfig(file: string, module: Exports): RowsmithConfig {
  const config = unwrapped(module.default);
  const exported = Object.keys(module);
  if (config === undefined)
    throw configFault(
      file,
      exported.length === 0
        ? 'it exports nothing'
        : `it has no default export, only ${exported.join(', ')}`,
      example,
    );
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw configFault(
      file,
      `its default export is ${typeof config === 'object' ? 'no plain object' : typeof config}`,
      example,
    );
  }
  const given = config as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(given)) {
    if ((settings as readonly string[]).includes(name)) continue;
    const near = nearestName(name, settings);
    throw configFault(
      file,
      `there is no setting '${name}'`,
      near === undefined ? `the settings are ${settings.join(', ')}` : `did you mean '${near}'?`,
    );
  }
  for (const name of ['url', 'output', 'lock']) {
    const value = given[name];
    if (value === undefined || (typeof value === 'string' && value !== '')) continue;
    throw configFault(
      file,
      `${name} is ${value === '' ? 'empty' : typeof value}`,
      `give ${name} as text, or leave it out`,
    );
  }
  checkEntities(file, given.entities);
  return config as RowsmithConfig;
}

/** Where CommonJS exports an ES module's default, it lies one deeper. */
function unwrapped(exported: unknown): unknown {
  const inner = exported as
    { readonly __esModule?: unknown; readonly default?: unknown } | null | undefined;
  return inner?.__esModule === true ? inner.default : exported;
}

function checkEntities(file: string, entities: unknown): void {
  if (!Array.isArray(entities))
    throw configFault(
      file,
      entities === undefined ? 'entities is missing' : `entities is ${typeof entities}, not a list`,
      example,
    );
  entities.forEach((entity: unknown, i) => {
    if (typeof entity === 'function' || (typeof entity === 'string' && entity !== '')) return;
    const fix =
      entity === undefined
        ? 'the class was not there yet when the config was read: its import is misspelt, or part of a circle'
        : "give classes, or globs of modules: './src/entities/*.ts'";
    throw configFault(
      file,
      `entities[${i}] is ${entity === '' ? 'empty' : entity === null ? 'null' : typeof entity}`,
      fix,
    );
  });
}
