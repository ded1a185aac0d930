/** A step of the tour: a query, its code and its result. */
import type { Explanation, Repository, RowsmithError } from 'rowsmith';
import type { Airport, Departure, RouteFlight, WeatherHour } from './entities.js';

/** The repositories that a step uses. */
export interface Repositories {
  readonly departures: Repository<typeof Departure>;
  readonly routes: Repository<typeof RouteFlight>;
  readonly airports: Repository<typeof Airport>;
  readonly weather: Repository<typeof WeatherHour>;
}

/** The results of a step. */
export interface Findings {
  readonly plan?: Explanation;
  readonly rows?: readonly object[];
  readonly error?: RowsmithError;
  /** A remark under the table. */
  readonly note?: string;
}

/** A step of the tour. */
export interface Step {
  readonly headline: string;
  /** One or two sentences of explanation. */
  readonly about: string;
  /** Its own source up to `return` is printed: see codeOf. */
  readonly run: (repositories: Repositories) => Promise<Findings>;
}

/**
 * The code of a step, taken from the source that runs it: the lines between `run: async (...) => {`
 * and `return`, without their common indentation.
 */
export function codeOf(source: string, headline: string): string[] {
  const lines = source.split('\n');
  const titleLine = lines.findIndex(
    (line) => line.includes('headline: ') && line.includes(headline.replaceAll("'", "\\'")),
  );
  const start =
    lines.findIndex((line, i) => i > titleLine && /^ *run: async \(.*\) => \{$/.test(line)) + 1;
  const end = lines.findIndex((line, i) => i >= start && /^ *return /.test(line));
  if (titleLine < 0 || start <= titleLine || end <= start)
    throw new Error(`The code of '${headline}' is not in its source`);
  const code = lines.slice(start, end);
  const indent = Math.min(...code.filter((line) => line !== '').map((line) => line.search(/\S/)));
  return code.map((line) => line.slice(indent));
}
