/**
 * A bound on time fails on a busy machine. Most of them are better as a count: of attempts, steps, or
 * turns of the event loop. The files that measure time are listed, with the reason.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Only minimal times, or none that a test checks: a busy machine makes nothing faster. */
const atLeast = 'at least so long';
/** Elapsed time is what is promised, and the bound has seconds of room. */
const promised = 'promised, with seconds of room';
/** Random work is repeated for so long, and a least number of times however long that takes. */
const repeats = 'work repeats for so long, and at least so often';
/** The work has no steps to count; processor time depends little on what else runs. */
const processor = 'processor time, far from the next complexity';

const measuring: Readonly<Record<string, string>> = {
  'differential/campaign-process.ts': 'printed',
  'differential/campaign.ts': 'printed',
  'differential/shrink.ts': 'the search for a shorter history ends',
  'engines/bigtable/deadlines.slow.test.ts': promised,
  'engines/bigtable/faulty-scans.slow.test.ts': repeats,
  'engines/bigtable/faulty-writes.slow.test.ts': atLeast,
  'engines/bigtable/flow-control.test.ts': atLeast,
  'engines/bigtable/process.slow.test.ts': promised,
  'engines/bigtable/server-deadline.test.ts': 'the event loop is blocked for so long',
  'engines/local/expensive-check.slow.test.ts': processor,
  'engines/local/expensive-filter.slow.test.ts': processor,
  'engines/local/many-changes.slow.test.ts': processor,
  'engines/local/one-owner.slow.test.ts': atLeast,
  'engines/local/read-only-damage.slow.test.ts': repeats,
  'engines/local/torture/tally.ts': 'printed',
  'entities/repository/write/silence.slow.test.ts': atLeast,
  'server/hostile-requests.slow.test.ts': processor,
  'server/many-tables.slow.test.ts': 'a ratio of two processor times, each the shortest of several',
  'server/scanned-keys.slow.test.ts': atLeast,
  'server/streams.slow.test.ts': 'a suspended machine gets a longer deadline',
  'support/fault-proxy.test.ts': atLeast,
  'support/growth.ts': processor,
  'support/processor-time.ts': processor,
  'tools/testing/faults-of-reads.test.ts': atLeast,
  'tools/transfer/migrate.test.ts': atLeast,
};
const measures =
  /performance\.now\(\) - |Date\.now\(\) - started|\bnow\(\) [<>]|\bprocessor(Ms|Now)\(|cpuUsage\(|hrtime/;

const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && !/^[a-z]+\/cases\//.test(name))
  .filter((name) => name !== 'time-bounds.test.ts')
  .map((name) => [name, readFileSync(join(__dirname, name), 'utf8')] as const);

test('only the listed files measure time', () => {
  const found = files.filter(([, text]) => measures.test(text)).map(([name]) => name);
  expect(found.sort()).toEqual(Object.keys(measuring).sort());
});

test('no test has a limit of its own that is below the limit of all, which is for hangs', () => {
  const limit = /^\s*\}, (\d+_000)\);$|\bjest\.setTimeout\((\d+_000)\)/gm;
  const found = files.flatMap(([name, text]) =>
    [...text.matchAll(limit)]
      .map((match) => Number((match[1] ?? match[2]).replace('_', '')))
      .filter((ms) => ms < 300_000)
      .map((ms) => `${name}: ${ms}`),
  );
  expect(found).toEqual([]);
});
