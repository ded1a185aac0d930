/** Options of observation. */
import { checkOptions, invalidArgument, valueText, type FaultTexts } from '../../base/index.js';
import type { AccessRecorder } from '../../tools/heat/index.js';

/** Which calls of a database are reported, and where. */
export interface ObserveOptions {
  /**
   * Spans and metrics through the package @opentelemetry/api, an optional peer dependency; default
   * false.
   */
  readonly telemetry?: boolean;
  /**
   * A line for each call, passed to the function; true writes it to standard error.
   * `DEBUG=rowsmith` in the environment has the same effect as true.
   */
  readonly log?: boolean | ((line: string) => void);
  /**
   * A scan that takes the engine longer than this many milliseconds emits a process warning with
   * the code ROWSMITH_SLOW_SCAN; default 10,000, 0 for never.
   */
  readonly slowScanMs?: number;
  /**
   * Includes row keys in spans, lines and warnings. They are data of your users: default false.
   */
  readonly keys?: boolean;
  /**
   * Records which rows are read and written, for heat maps. Alone it costs at most 3 %, because
   * slow scans are then reported only with `slowScanMs`.
   */
  readonly record?: AccessRecorder;
}

/** For callers from JavaScript: a wrong option must not silently turn observation off. */
export function checkObserveOptions(options: ObserveOptions | undefined): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || (options as unknown) === null)
    throw optionError('observe', options, 'give an object, for example observe: { log: true }');
  checkOptions('observe', options, ['telemetry', 'log', 'slowScanMs', 'keys', 'record']);
  const { telemetry, log, slowScanMs, keys, record } = options;
  for (const [name, value] of Object.entries({ telemetry, keys }))
    if (value !== undefined && typeof value !== 'boolean')
      throw optionError(`observe.${name}`, value, 'give true or false');
  if (!['undefined', 'boolean', 'function'].includes(typeof log))
    throw optionError('observe.log', log, 'give true, false or a function that takes a line');
  if (slowScanMs !== undefined && !(slowScanMs >= 0))
    throw optionError('observe.slowScanMs', slowScanMs, 'give milliseconds, 0 for never');
  if (record !== undefined && typeof record?.stage !== 'function')
    throw optionError('observe.record', record, 'give recordAccess(), or recordAccess({ file })');
}

function optionError(property: string, value: unknown, fix: string): Error {
  return invalidArgument(property, faults.wrongOption(property, value, fix));
}

const faults = {
  wrongOption: (property: string, value: unknown, fix: string) => ({
    problem: `${property} is ${valueText(value)}`,
    fix,
  }),
} satisfies FaultTexts;
