/**
 * Histories of one seed after the other on all peers, until enough operations have been run; the
 * first that fails is made small and told.
 */
import { generate } from './generate.js';
import { RuleCount } from './judge.js';
import { historyText, weight, type History } from './operation.js';
import { Made } from './coverage.js';
import { runHistory, type Counts, type Disagreement } from './run-history.js';
import { shrink } from './shrink.js';
import { peersOf, type World } from './world.js';

/** Histories that are on their way at once. */
const atOnce = 12;

/** Where the seeds of a campaign begin, and when it ends. */
export interface Campaign {
  readonly firstSeed: number;
  /** Of each history. A call is an operation, a MutateRows as many as it has rows. */
  readonly calls: number;
  /** Enough, whichever comes last. */
  readonly operations: number;
  readonly millis: number;
}

/** What a campaign did. */
export interface Outcome {
  readonly operations: number;
  /** Each to every peer. */
  readonly requests: number;
  readonly histories: number;
  /** The last seed that was begun. */
  readonly lastSeed: number;
  readonly counts: Counts;
}

/** A place for counts, where nobody asks for them. */
export const uncounted = (): Counts => ({ rules: new RuleCount(), made: new Made() });

/**
 * Runs the campaign; throws what to do about the first disagreement. `progress` is told every ten
 * seconds.
 */
export async function runCampaign(
  campaign: Campaign,
  world: World,
  progress: (text: string) => void,
): Promise<Outcome> {
  const counts = uncounted();
  const started = Date.now();
  let [seed, operations, requests, histories, told] = [campaign.firstSeed, 0, 0, 0, started];
  let failed: Failure | undefined;
  const more = (): boolean =>
    failed === undefined &&
    (operations < campaign.operations || Date.now() - started < campaign.millis);
  const one = async (): Promise<void> => {
    while (more()) {
      const mine = seed++;
      const history = generate(mine, campaign.calls);
      const found = await runHistory(history, peersOf(world, history), world, counts);
      if (found !== undefined) {
        failed ??= { seed: mine, history, found };
        return;
      }
      operations += history.operations.reduce((sum, operation) => sum + weight(operation), 0);
      requests += history.operations.length;
      histories++;
      if (Date.now() - told < 10_000) continue;
      told = Date.now();
      progress(
        `${operations} operations in ${histories} histories, seeds ${campaign.firstSeed} to ${mine}, ${Math.round((told - started) / 1000)} s, ${megabytes()} MB`,
      );
    }
  };
  // Refusals are answers here, and their stacks would cost more than the rest.
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    await Promise.all(Array.from({ length: atOnce }, one));
  } finally {
    Error.stackTraceLimit = limit;
  }
  if (failed !== undefined) throw new Error(await explained(failed, world));
  return { operations, requests, histories, lastSeed: seed - 1, counts };
}

const megabytes = (): number => Math.round(process.memoryUsage().rss / 1_048_576);

interface Failure {
  readonly seed: number;
  readonly history: History;
  readonly found: Disagreement;
}

/** What to read and what to run: the seed, and the least part of the history that still fails. */
async function explained({ seed, history, found }: Failure, world: World): Promise<string> {
  const pair = [peersOf(world, history)[0], found.peer];
  const again = async (tried: History): Promise<Disagreement | undefined> => {
    await world.repair();
    return runHistory(tried, pair, world, uncounted());
  };
  const cut = { ...history, operations: history.operations.slice(0, found.at + 1) };
  const reproduced = (await again(cut)) !== undefined;
  const small = reproduced
    ? await shrink(cut, async (tried) => (await again(tried)) !== undefined)
    : cut;
  const last = (reproduced ? await again(small) : undefined) ?? found;
  return `${found.peer.name} disagrees${reproduced ? '' : ', but not when the history is run again'}. The whole history:
  SEED=${seed} npx jest test/differential
The least that fails, to be replayed from a file by HISTORY=file npx jest test/differential:
${historyText(small)}
It ends with
${last.text}`;
}
