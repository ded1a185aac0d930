/** The options of `rowsmith load`. */
import type { FaultTexts } from '../../../base/index.js';
import {
  count,
  flag,
  list,
  type OptionSpec,
  type OptionValues,
  parsed,
  text,
  urlOption,
  UsageError,
  withDefault,
} from '../../command.js';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const maxTimeMs = 7 * 24 * 3_600_000;

/** The options of `rowsmith load`. */
export const options = {
  workload: text('NAME', 'The workload, if there are several'),
  url: urlOption,
  duration: withDefault(time('How long to measure: 500ms, 30s, 10m, 2h', 1), 30_000, '30s'),
  'warm-up': withDefault(time('How long to run before that', 0), 5_000, '5s'),
  rate: parsed('N', 'Operations a second, or max. Default: as declared', rateOf),
  concurrency: withDefault(count('N', 'Operations at a time, at most', { max: 10_000 }), 64),
  dataset: list(
    'S=VALUE',
    'All rows have this value of leading segment S, or begin with TEXT: S=TEXT*. Repeatable',
    'segment',
  ),
  clean: flag('Delete the rows afterwards. Needs --dataset, or a table that was empty'),
  yes: flag(
    'Write to a table with rows or to live Bigtable; with --clean, delete also earlier rows of ' +
      'the dataset',
  ),
  html: text('FILE', 'Write the heat map to a page, which needs no network', 'file'),
  start: parsed('TIME', 'ISO 8601 time of the first operation. Default: now', startOf),
  seed: withDefault(count('N', 'The seed of the random numbers', { min: 0 }), 1),
};

/** The values of the options. */
export type LoadOptions = OptionValues<typeof options>;

/** A time in milliseconds, of at least `least`. */
function time(about: string, least: number): OptionSpec<number | undefined> {
  return parsed('TIME', about, (given, flagName) => {
    const [, digits, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(given) ?? [];
    const ms = Number(digits) * unitMs[unit];
    if (ms >= least && ms <= maxTimeMs) return ms;
    const limits = least > 0 ? 'above 0 and up to 168h' : 'of up to 168h';
    throw new UsageError(faults.notATime(flagName, limits, given));
  });
}

function rateOf(given: string, flagName: string): number | 'max' {
  if (given === 'max') return 'max';
  const rate = Number(given);
  if (/^\d{1,9}(\.\d{1,6})?$/.test(given) && rate > 0) return rate;
  throw new UsageError(faults.notARate(flagName, given));
}

function startOf(given: string, flagName: string): number {
  const ms = Date.parse(given);
  if (/^\d{4}-\d{2}-\d{2}/.test(given) && !Number.isNaN(ms)) return ms;
  throw new UsageError(faults.notAnIsoTime(flagName, given));
}

const faults = {
  notATime: (flagName: string, limits: string, given: string) => ({
    problem: `${flagName} takes a time ${limits}, such as 500ms or 30s, not '${given}'`,
  }),
  notARate: (flagName: string, given: string) => ({
    problem: `${flagName} takes operations each second, or max, not '${given}'`,
  }),
  notAnIsoTime: (flagName: string, given: string) => ({
    problem: `${flagName} takes an ISO 8601 time, such as 2026-01-31T12:00:00Z, not '${given}'`,
  }),
} satisfies FaultTexts;
