/** One stop of the tour: what it shows and the code that shows it. */
import type { Explanation, RepositoryOf, RowsmithError } from 'rowsmith';
import type { Airport, Departure, RouteFlight, WeatherHour } from './entities.js';

/** What a step works with. */
export interface Repositories {
  readonly departures: RepositoryOf<typeof Departure>;
  readonly routes: RepositoryOf<typeof RouteFlight>;
  readonly airports: RepositoryOf<typeof Airport>;
  readonly weather: RepositoryOf<typeof WeatherHour>;
}

/** What a step found. */
export interface Findings {
  readonly plan?: Explanation;
  readonly rows?: readonly object[];
  readonly error?: RowsmithError;
  /** What else there is to say, under the table. */
  readonly note?: string;
}

/** A stop of the tour. */
export interface Step {
  readonly headline: string;
  /** One or two sentences on why it is so. */
  readonly about: string;
  /** What is printed of it is its own text up to `return`: see codeOf. */
  readonly run: (repositories: Repositories) => Promise<Findings>;
}

/**
 * The code of a step, cut out of the text of the file that runs it, so that what is shown is what
 * ran: the lines between `run: async (...) => {` and `return`, without their common indentation.
 */
export function codeOf(source: string, headline: string): string[] {
  const lines = source.split('\n');
  const titled = lines.findIndex(
    (line) => line.includes('headline: ') && line.includes(headline.replaceAll("'", "\\'")),
  );
  const start =
    lines.findIndex((line, i) => i > titled && /^ *run: async \(.*\) => \{$/.test(line)) + 1;
  const end = lines.findIndex((line, i) => i >= start && /^ *return /.test(line));
  if (titled < 0 || start <= titled || end <= start)
    throw new Error(`The code of '${headline}' is not in its source`);
  const code = lines.slice(start, end);
  const indent = Math.min(...code.filter((line) => line !== '').map((line) => line.search(/\S/)));
  return code.map((line) => line.slice(indent));
}
