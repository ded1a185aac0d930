/** Sets up the observers that the options and the environment ask for. */
import type { Stage } from '../../data/store/index.js';
import { LogObserver, SlowScanObserver } from './log-observer.js';
import { checkObserveOptions, type ObserveOptions } from './observe-options.js';
import { ObservingStage } from './observing-stage.js';
import type { Observer } from './operation.js';
import { telemetryObserver } from './telemetry-observer.js';

/** The stage that observes the repository of one entity, or the database itself. */
export type Observation = (entity?: string) => Stage;

/**
 * The stages that report to the observers; undefined if nothing is observed, so that calls have no
 * overhead. `system` is the OpenTelemetry `db.system.name`.
 */
export async function observationOf(
  options: ObserveOptions | undefined,
  system: string,
): Promise<Observation | undefined> {
  checkObserveOptions(options);
  const observers = await createObservers(options, system);
  if (observers.length === 0) return undefined;
  return (entity) => new ObservingStage(observers, entity);
}

async function createObservers(
  options: ObserveOptions | undefined,
  system: string,
): Promise<readonly Observer[]> {
  const log = options?.log ?? isDebugEnabled(process.env.DEBUG);
  if (log === false && (options === undefined || onlyRecords(options))) return [];
  const { telemetry = false, slowScanMs = 10_000, keys = false } = options ?? {};
  const observers: Observer[] = [];
  if (telemetry) observers.push(await telemetryObserver(system, keys));
  if (typeof log === 'function') observers.push(new LogObserver(log, keys));
  else if (log) observers.push(new LogObserver(writeToStandardError, keys));
  if (slowScanMs > 0) observers.push(new SlowScanObserver(slowScanMs, warn, keys));
  return observers;
}

/** Recording is cheap, and does not pay for what is not wanted. */
function onlyRecords({ record, telemetry, slowScanMs }: ObserveOptions): boolean {
  return record !== undefined && telemetry !== true && slowScanMs === undefined;
}

/**
 * Follows the package `debug`: names separated by commas or spaces; `*` at the end matches any
 * ending, `-` in front excludes.
 */
function isDebugEnabled(variable = ''): boolean {
  const names = variable.split(/[\s,]+/);
  const isExcluded = names.some((name) => name.startsWith('-') && matchesRowsmith(name.slice(1)));
  return names.some(matchesRowsmith) && !isExcluded;
}

function matchesRowsmith(name: string): boolean {
  if (name === 'rowsmith') return true;
  return name.endsWith('*') && 'rowsmith'.startsWith(name.slice(0, -1).replace(/:$/, ''));
}

function writeToStandardError(line: string): void {
  process.stderr.write(`rowsmith ${line}\n`);
}

function warn(line: string): void {
  process.emitWarning(line, { type: 'RowsmithWarning', code: 'ROWSMITH_SLOW_SCAN' });
}
