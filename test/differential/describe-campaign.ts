/**
 * The campaign as a test. It is cut into shares, which jest runs side by side: each a file, with
 * seeds and a world of its own.
 *
 * - By default the seeds are always the same, so that a red run speaks of the change and not of the
 *   draw; new ones are for soaks.
 * - SEED=new takes new ones; SOAK_MINUTES=60 runs that long, with new ones and a line of progress
 *   every ten seconds.
 * - SEED=n runs the history of one seed, HISTORY=file that of a file's lines, both in the first
 *   share.
 */
import { readFileSync } from 'node:fs';
import { runCampaign, uncounted } from './campaign.js';
import { generate } from './generate.js';
import { historyFromText, type History } from './operation.js';
import { runHistory } from './run-history.js';
import { openWorld, peersOf, type World } from './world.js';

/** Operations of all shares together. */
const operations = 100_000;
/** Calls of the history of a seed. */
const calls = 60;

/** Runs a share, the first of them being 0. */
export function describeCampaign(share: number, shares: number): void {
  const { SEED, HISTORY, SOAK_MINUTES = '0' } = process.env;
  const minutes = Number(SOAK_MINUTES);
  const one =
    HISTORY !== undefined
      ? historyFromText(readFileSync(HISTORY, 'utf8'))
      : SEED !== undefined && SEED !== 'new'
        ? generate(Number(SEED), calls)
        : undefined;

  test(
    one === undefined ? 'all agree on random histories' : 'all agree on this history',
    async () => {
      if (one !== undefined && share > 0) return;
      const world = await openWorld();
      try {
        await (one === undefined
          ? campaign(world, share, { operations: operations / shares, minutes })
          : agreeOn(one, world));
      } finally {
        await world.close();
      }
    },
    1_800_000 + minutes * 60_000,
  );
}

async function agreeOn(history: History, world: World): Promise<void> {
  const found = await runHistory(history, peersOf(world, history), world, uncounted());
  if (found !== undefined)
    throw new Error(`${found.peer.name} disagrees at operation ${found.at}\n${found.text}`);
}

async function campaign(
  world: World,
  share: number,
  { operations: least, minutes }: { readonly operations: number; readonly minutes: number },
): Promise<void> {
  const firstSeed =
    (minutes > 0 || process.env.SEED === 'new' ? Date.now() % 1_000_000_000 : 0) +
    share * 1_000_000_000;
  const say = (text: string): void =>
    void process.stderr.write(`differential, share ${share + 1}: ${text}\n`);
  const started = Date.now();
  const {
    operations: done,
    requests,
    histories,
    lastSeed,
    counts: { rules, made },
  } = await runCampaign(
    { firstSeed, calls, operations: least, millis: minutes * 60_000 },
    world,
    minutes > 0 ? say : () => undefined,
  );
  const kinds = [...new Set(world.peers.map(({ kind }) => kind))];
  const needed = [...rules.needed]
    .sort(([, a], [, b]) => b - a)
    .map(([name, times]) => `  ${times} times: ${name}`);
  const never = rules.unneeded(kinds).map((name) => `  never needed: ${name}`);
  say(
    [
      `${done} operations in ${requests} calls and ${histories} histories of seeds ${firstSeed} to ${lastSeed} agree among ${world.peers.length} in ${Math.round((Date.now() - started) / 1000)} s; rules:`,
      ...needed,
      ...never,
      'least made:',
      ...made.least(8).map((text) => `  ${text}`),
    ].join('\n'),
  );
  expect(done).toBeGreaterThanOrEqual(least);
  expect(made.never()).toEqual([]);
  expect(world.said.never()).toEqual([]);
}
