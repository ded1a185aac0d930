/**
 * The storm: a process writes, compacts, opens and closes a database and is killed again and again.
 * Whatever it acknowledged is there, and no row is half written.
 */
import { checkAndCount } from './outcomes.js';
import { Checker, Workshop } from './processes.js';
import { randomOf } from './random.js';
import type { Expectations } from './rows.js';
import { Tally, type ScenarioOptions } from './tally.js';
import type { WriteOptions } from './child-write.js';
import { applyLines } from './workload.js';

export async function storm(options: ScenarioOptions): Promise<Tally> {
  const tally = new Tally('storm', options.onProgress);
  const workshop = new Workshop();
  const checker = new Checker(workshop);
  let expectations: Expectations = {};
  let directory = '';
  let isFaulty = false;
  try {
    for (let round = 0; round < options.rounds; round++) {
      const seed = options.seed + round;
      // A database that lost rows would be reported again in each round.
      if (isFaulty || round % 50 === 0) {
        directory = workshop.empty('storm');
        expectations = {};
      }
      const name = `storm --seed ${seed} --rounds 1`;
      const lines = await killedWriter(workshop, directory, expectations, seed);
      for (const line of lines.filter((text) => text.startsWith('fault')))
        tally.fault('failed writes', `${name}: ${line}`);
      tally.note('acknowledged writes', lines.filter((line) => line.startsWith('a ')).length);
      applyLines(expectations, lines);
      const job = { directory, expectations, maxBytes, seed, write: false, thorough: false };
      const result = await checkAndCount(checker, job, tally, name);
      isFaulty = result === undefined;
      if (result === undefined) options.keep(directory, `storm-${seed}`);
      else expectations = result.expectations;
      tally.trial();
    }
  } finally {
    await checker.close();
    workshop.remove();
  }
  return tally;
}

const maxBytes = 200_000;

/** Lines of a writer that was killed up to half a second after it began, or while it opened. */
async function killedWriter(
  workshop: Workshop,
  directory: string,
  expectations: Expectations,
  seed: number,
): Promise<readonly string[]> {
  const random = randomOf(seed);
  const write: WriteOptions = {
    directory,
    expectations,
    seed,
    durability: seed % 2 === 0 ? 'durable' : 'relaxed',
    keys: 60,
    maxBytes,
    compacts: true,
    writers: 4,
    maxRows: 20,
    steps: 10 + random.below(200),
  };
  const child = workshop.start('write', write);
  if (!random.chance(0.1)) await child.next('ready');
  const delay = random.chance(0.1) ? random.below(5) : random.below(500);
  await new Promise((resolve) => setTimeout(resolve, delay));
  child.kill();
  const ending = await child.ended;
  const lines = [...child.lines];
  if (ending !== undefined && !ending.startsWith('SIGKILL')) lines.push(`fault ${ending}`);
  return lines;
}
