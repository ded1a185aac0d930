/**
 * A process is killed before a flush, or a flush fails, and then a row is acknowledged: by the next
 * process, by the same one after it has opened the database again, or without that. Whatever the
 * row builds on has been flushed by then, so a power loss does not lose it. Every third flush of a
 * session is tried, with RUNS=3 every one; the scenario `power` (torture.slow.test.ts) tries random
 * ones.
 */
import { join } from 'node:path';
import { DiskImage } from './torture/disk-image.js';
import { checkAndCount } from './torture/outcomes.js';
import { Checker, Workshop } from './torture/processes.js';
import { randomOf } from './torture/random.js';
import { writeOf, type Expectations } from './torture/rows.js';
import {
  armControl,
  createControl,
  failingCall,
  killingCall,
  readControl,
  readRecords,
  shimEnvironment,
  shimLibrary,
} from './torture/shim.js';
import type { ResumeOptions } from './torture/child-resume.js';
import { Tally } from './torture/tally.js';
import { applyLines } from './torture/workload.js';

const withShim = shimLibrary() === undefined ? test.skip : test;
/** The distance of two flushes that are tried. */
const step = 4 - Number(process.env.RUNS ?? 1);
const maxBytes = 1_000_000;
const firstKey = keyOfSize(0, 20_000);
const smallKey = keyOfSize(20_000, 40_000);
/** A commit of this size fills a buffer, which is flushed and merged. */
const largeKey = keyOfSize(600_000, maxBytes);

/** The key of a row with cells of `min` to `max` bytes. */
function keyOfSize(min: number, max: number): string {
  for (let number = 0; ; number++) {
    const key = `row-${number}`;
    const { mutations } = writeOf(key, 1, maxBytes);
    let size = 0;
    for (const one of mutations) if (one.kind === 'setCell') size += one.value.length;
    if (size > min && size <= max) return key;
  }
}

interface Interruption {
  readonly isKilled: boolean;
  readonly reopens: boolean;
  readonly lastKey: string;
}

let workshop: Workshop;
let checker: Checker;
beforeEach(() => {
  workshop = new Workshop();
  checker = new Checker(workshop);
});
afterEach(async () => {
  await checker.close();
  workshop.remove();
});

withShim.each<[string, Interruption]>([
  ['the next process writes', { isKilled: true, reopens: true, lastKey: smallKey }],
  ['the database is opened again', { isKilled: false, reopens: true, lastKey: smallKey }],
  ['a large row is written', { isKilled: false, reopens: false, lastKey: largeKey }],
])(
  'a power loss after a missing flush, when %s',
  async (_, interruption) => {
    const tally = new Tally('power', () => undefined);
    let number = 1;
    while (await tryFlush(number, interruption, tally)) number += step;
    expect(tally.faultTexts()).toEqual([]);
    expect(tally.trials).toBeGreaterThan(20 / step);
  },
  600_000,
);

// What was not flushed before stayed so, and a power loss damaged the database.
withShim('a power loss when a durable owner has followed a relaxed one', async () => {
  const { directory, record, env } = recordedFolder();
  const options = { directory, reopens: false, maxBytes };
  const relaxed = { ...options, lastKey: largeKey, durability: 'relaxed' } as const;
  expect(await workshop.start('resume', relaxed, { env }).ended).toBeUndefined();
  const durable = { ...options, lastKey: smallKey, durability: 'durable' } as const;
  expect(await workshop.start('resume', durable, { env }).ended).toBeUndefined();
  const tally = new Tally('power', () => undefined);
  await checkPowerLoss(record, 'relaxed', tally);
  expect(tally.faultTexts()).toEqual([]);
});

/** A folder for a database, and the settings of processes that record what they do with it. */
function recordedFolder() {
  const watched = workshop.empty('recorded');
  const record = join(workshop.empty('record'), 'calls');
  const control = join(workshop.directory, 'control');
  createControl(control);
  const env = shimEnvironment(watched, { control, record });
  return { directory: join(watched, 'folder', 'db'), record, control, env };
}

/** Interrupts before or at the flush with this number; false if there were fewer. */
async function tryFlush(
  number: number,
  { isKilled, reopens, lastKey }: Interruption,
  tally: Tally,
): Promise<boolean> {
  const { directory, record, control, env } = recordedFolder();
  const failing = { call: 'sync', number, count: 1, error: 'EIO', short: false } as const;
  armControl(control, isKilled ? killingCall('sync', number) : failingCall(failing));
  const run = (options: ResumeOptions): Promise<string | undefined> =>
    workshop.start('resume', options, { env }).ended;
  const options = {
    directory,
    firstKey,
    lastKey,
    reopens,
    maxBytes,
    durability: 'durable',
  } as const;
  let ending = await run(options);
  const isInterrupted = readControl(control).failed > 0;
  if (isKilled && isInterrupted) {
    expect(ending).toMatch(/^SIGKILL/);
    armControl(control, []);
    ending = await run({ ...options, firstKey: undefined, reopens: false });
  }
  // The last write may be the one that failed.
  const name = `flush ${number}`;
  if (isInterrupted && ending === undefined) await checkPowerLoss(record, name, tally);
  return isInterrupted;
}

async function checkPowerLoss(record: string, name: string, tally: Tally): Promise<void> {
  const image = new DiskImage();
  const expectations: Expectations = {};
  for (const call of readRecords(record)) {
    image.apply(call);
    if (call.kind === 'line') applyLines(expectations, call.bytes.toString().split('\n'));
  }
  const target = workshop.empty('lost-power');
  const left = image.writeAfterPowerLoss(target, randomOf(0), 'none');
  const job = {
    directory: join(target, 'folder', 'db'),
    expectations,
    maxBytes,
    seed: 0,
    write: false,
    thorough: false,
  };
  await checkAndCount(checker, job, tally, `${name}, ${left}`);
  tally.trial();
}
