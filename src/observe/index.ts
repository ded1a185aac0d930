/** Who watches an engine, and how: OpenTelemetry, a log of plans, warnings of slow scans. */
import { RowsmithError } from '../errors.js';
import type { Engine } from '../store/index.js';
import { LogObserver, SlowScanObserver } from './log-observer.js';
import { ObservedEngine } from './observed-engine.js';
import type { Observer } from './operation.js';
import { telemetryObserver } from './telemetry-observer.js';

export { noteRetry } from './observed-engine.js';

/** What is told of the calls of a database. */
export interface ObserveOptions {
  /** Spans and metrics through the package @opentelemetry/api, an optional peer; default false. */
  readonly telemetry?: boolean;
  /**
   * A line for each call: true writes to standard error. `DEBUG=rowsmith` in the environment does
   * the same.
   */
  readonly log?: boolean | ((line: string) => void);
  /**
   * A scan for which the engine takes longer than this, in milliseconds, is a process warning with
   * the code ROWSMITH_SLOW_SCAN; default 10,000, 0 for never.
   */
  readonly slowScanMs?: number;
  /** Puts row keys into spans, lines and warnings. They are data of your users: default false. */
  readonly keys?: boolean;
}

/** Gives each repository an engine that is watched in its name. */
export type Observed = (engine: Engine, entity?: string) => Engine;

/**
 * The wrapping that the options and the environment ask for; undefined when nobody watches, so that
 * nothing is in the way.
 */
export async function observing(
  options: ObserveOptions | undefined,
  system: string,
): Promise<Observed | undefined> {
  checkOptions(options);
  const log = options?.log ?? debugAsks(process.env.DEBUG);
  if (options === undefined && log === false) return undefined;
  const { telemetry = false, slowScanMs = 10_000, keys = false } = options ?? {};
  const observers: Observer[] = [
    ...(telemetry ? [await telemetryObserver(system, keys)] : []),
    ...(log === false ? [] : [new LogObserver(log === true ? toStandardError : log, keys)]),
    ...(slowScanMs > 0 ? [new SlowScanObserver(slowScanMs, warn, keys)] : []),
  ];
  if (observers.length === 0) return undefined;
  return (engine, entity) => new ObservedEngine(engine, observers, entity);
}

/** From JavaScript: a wrong option must not quietly mean that nobody watches. */
function checkOptions(options: ObserveOptions | undefined): void {
  const refuse = (property: string, fix: string): never => {
    throw new RowsmithError('INVALID_ARGUMENT', {
      property,
      problem: `${property} is not what it takes`,
      fix,
    });
  };
  if (options === undefined) return;
  if (typeof options !== 'object' || (options as unknown) === null)
    refuse('observe', 'give an object, for example observe: { log: true }');
  const { telemetry, log, slowScanMs, keys } = options;
  for (const [name, value] of Object.entries({ telemetry, keys }))
    if (![undefined, true, false].includes(value)) refuse(`observe.${name}`, 'give true or false');
  if (![undefined, true, false].includes(log as boolean) && typeof log !== 'function')
    refuse('observe.log', 'give true, false or a function that takes a line');
  if (slowScanMs !== undefined && !(slowScanMs >= 0))
    refuse('observe.slowScanMs', 'give milliseconds, 0 for never');
}

/**
 * As the package `debug` reads it: names with commas or spaces between, `*` for any ending, `-` in
 * front excludes.
 */
function debugAsks(names: string | undefined): boolean {
  const asked = (names ?? '').split(/[\s,]+/);
  const matches = (name: string): boolean =>
    name === 'rowsmith' ||
    (name.endsWith('*') && 'rowsmith'.startsWith(name.slice(0, -1).replace(/:$/, '')));
  return (
    asked.some(matches) && !asked.some((name) => name.startsWith('-') && matches(name.slice(1)))
  );
}

function toStandardError(line: string): void {
  process.stderr.write(`rowsmith ${line}\n`);
}

function warn(line: string): void {
  process.emitWarning(line, { type: 'RowsmithWarning', code: 'ROWSMITH_SLOW_SCAN' });
}
