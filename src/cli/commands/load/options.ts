/** The options of `rowsmith load`. */
import { type CommandInput, flag, list, text, UsageError } from '../../command.js';
import { readCount } from '../row-command.js';
import { readSeed } from '../simulate/simulate.js';

const defaultConcurrency = 64;
const maxConcurrency = 10_000;

/** The options of `rowsmith load`. */
export const options = {
  workload: text('NAME', 'The workload, if there are several'),
  url: text('URL', 'The database. Default: url of the config'),
  duration: text('TIME', 'How long to measure: 500ms, 30s, 10m, 2h. Default: 30s'),
  'warm-up': text('TIME', 'How long to run before that. Default: 5s'),
  rate: text('N', 'Operations each second, or max for as many as possible. Default: as declared'),
  concurrency: text('N', `Operations at a time, at most. Default: ${defaultConcurrency}`),
  dataset: list(
    'S=VALUE',
    'All rows have this value of leading segment S; repeated for further segments. S=TEXT* for ' +
      'text segments: values begin with TEXT',
    'segment',
  ),
  clean: flag('Delete the rows afterwards. Needs --dataset, or a table that was empty'),
  yes: flag(
    'Write to a table that has rows, or to live Bigtable; with --clean, also delete rows that ' +
      'the dataset had before',
  ),
  html: text('FILE', 'Write the heat map to a page, which needs no network', 'file'),
  start: text('TIME', 'ISO 8601 time of the first operation, for keys with a time. Default: now'),
  seed: text('N', 'The same seed makes the same operations. Default: 1'),
};

/** The arguments of a call. */
export interface LoadCall {
  readonly file: string | undefined;
  readonly workload: string | undefined;
  readonly url: string | undefined;
  readonly durationMs: number;
  readonly warmUpMs: number;
  readonly rate: number | 'max' | 'declared';
  readonly concurrency: number;
  readonly dataset: readonly string[];
  readonly clean: boolean;
  readonly yes: boolean;
  readonly start: number | undefined;
  readonly html: string | undefined;
  readonly seed: number;
}

/** Reads the arguments. Throws UsageError. */
export function readCall({ values, positionals }: CommandInput<typeof options>): LoadCall {
  const file = positionals.at(0);
  const concurrency = readCount('concurrency', values.concurrency) ?? defaultConcurrency;
  if (concurrency > maxConcurrency)
    throw new UsageError(`--concurrency takes at most ${maxConcurrency}`);
  return {
    file,
    workload: values.workload,
    url: values.url,
    durationMs: readTime('duration', values.duration ?? '30s', 1),
    warmUpMs: readTime('warm-up', values['warm-up'] ?? '5s'),
    rate: readRate(values.rate),
    concurrency,
    dataset: values.dataset ?? [],
    clean: values.clean ?? false,
    yes: values.yes ?? false,
    start: readStart(values.start),
    html: values.html,
    seed: readSeed(values.seed) ?? 1,
  };
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const maxTimeMs = 7 * 24 * 3_600_000;

function readTime(option: string, text: string, least = 0): number {
  const [, digits, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Number(digits) * unitMs[unit];
  if (ms >= least && ms <= maxTimeMs) return ms;
  const limits = least > 0 ? 'above 0 and up to 168h' : 'of up to 168h';
  throw new UsageError(`--${option} takes a time ${limits}, such as 500ms or 30s, not '${text}'`);
}

function readRate(text: string | undefined): LoadCall['rate'] {
  if (text === undefined) return 'declared';
  if (text === 'max') return 'max';
  const rate = Number(text);
  if (/^\d{1,9}(\.\d{1,6})?$/.test(text) && rate > 0) return rate;
  throw new UsageError(`--rate takes operations each second, or max, not '${text}'`);
}

function readStart(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(ms)) return ms;
  throw new UsageError(
    `--start takes an ISO 8601 time, such as 2026-01-31T12:00:00Z, not '${text}'`,
  );
}
