/**
 * Copies: a directory is copied file by file (cp -r) while a process writes to it. The copy has the
 * rows of one moment of the copying, or opening it is CORRUPT_DATA.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { countErrors, countRows } from './outcomes.js';
import { Checker, Workshop } from './processes.js';
import { randomOf } from './random.js';
import { isDeletion, type Expectations } from './rows.js';
import { Tally, type ScenarioOptions } from './tally.js';
import type { WriteOptions } from './child-write.js';
import { applyLines } from './workload.js';

const run = promisify(execFile);
const maxBytes = 30_000;
/** Copies that are made of one database. */
const copiesOfWriter = 10;

export async function copies(options: ScenarioOptions): Promise<Tally> {
  const tally = new Tally('copies', options.onProgress);
  const workshop = new Workshop();
  const checker = new Checker(workshop);
  try {
    for (let round = 0; round < options.rounds; round += copiesOfWriter) {
      const seed = options.seed + round;
      const directory = join(workshop.empty('copied'), 'db');
      const write: WriteOptions = {
        directory,
        expectations: {},
        seed,
        durability: 'relaxed',
        keys: 200,
        maxBytes,
        compacts: true,
        writers: 4,
        maxRows: 20,
        steps: 100,
      };
      const child = workshop.start('write', write, { maxSeconds: 3600 });
      await child.next('ready');
      for (let i = 0; i < Math.min(copiesOfWriter, options.rounds - round); i++) {
        const random = randomOf(seed + i);
        for (let lines = random.below(200); lines > 0; lines--) await child.next('a');
        const known = child.lines.length;
        const copy = join(workshop.empty('copy'), 'db');
        // A file may be removed while it is copied.
        await run('cp', ['-r', directory, copy]).catch(() => tally.note('incomplete copies'));
        await checkCopy(checker, copy, child.lines.slice(), known, tally, `copies --seed ${seed}`);
        tally.trial();
      }
      child.kill();
      await child.ended;
      for (const line of child.lines.filter((text) => text.startsWith('fault')))
        tally.fault('failed writes', `copies --seed ${seed}: ${line}`);
    }
  } finally {
    await checker.close();
    workshop.remove();
  }
  return tally;
}

/** `known` lines were written before the copying began. */
async function checkCopy(
  checker: Checker,
  directory: string,
  lines: readonly string[],
  known: number,
  tally: Tally,
  name: string,
): Promise<void> {
  const expectations: Expectations = {};
  applyLines(expectations, lines);
  const before: Expectations = {};
  applyLines(before, lines.slice(0, known));
  for (const [key, expected] of Object.entries(expectations))
    expected.acknowledged = before[key]?.acknowledged ?? 0;
  const job = { directory, expectations, maxBytes, seed: known, write: false, thorough: false };
  const result = await checker.check(job);
  if ('ended' in result) return tally.fault('ended processes', `${name}: ${result.ended}`);
  countRows(result, tally, name);
  countErrors(
    result.errors.filter((error) => !/^\w+ (CORRUPT_DATA|NOT_A_DATABASE)/.test(error)),
    tally,
    name,
  );
  if (result.errors.length > 0) return tally.note('copies with CORRUPT_DATA');
  tally.note('copies that are whole');
  checkMoment(lines, result.expectations, tally, name);
}

/** What was acknowledged before a write began is there if that write is. */
function checkMoment(
  lines: readonly string[],
  found: Expectations,
  tally: Tally,
  name: string,
): void {
  const isThere = (key: string, generation: number): boolean =>
    found[key].acknowledged >= generation;
  const parts = lines.map((line) => line.split(' '));
  const last = parts.findLastIndex(
    ([kind, key, generation]) =>
      kind === 't' && !isDeletion(Number(generation)) && isThere(key, Number(generation)),
  );
  for (const [kind, key, generation] of parts.slice(0, last))
    if (kind === 'a' && !isThere(key, Number(generation)) && !isDeletion(found[key].acknowledged))
      return tally.fault('copies of several moments', `${name}: ${key} ${generation} is missing`);
}
