/**
 * Power loss: the calls of a process that writes are recorded, and databases are built as a power
 * loss at some of these calls could leave them. All rows that had been acknowledged are there.
 */
import { join } from 'node:path';
import { DiskImage } from './disk-image.js';
import { checkAndCount } from './outcomes.js';
import { Checker, Workshop } from './processes.js';
import { randomOf } from './random.js';
import type { Expectations } from './rows.js';
import { armControl, createControl, failingCall, readRecords, shimEnvironment } from './shim.js';
import type { ShimRecord } from './shim.js';
import { Tally, type ScenarioOptions } from './tally.js';
import type { WriteOptions } from './child-write.js';
import { applyLines } from './workload.js';

/** Points at which one recording is cut off. */
const pointsOfRecording = 25;
const maxBytes = 200_000;

export async function powerLoss(
  options: ScenarioOptions,
  durability: WriteOptions['durability'] = 'durable',
): Promise<Tally> {
  const tally = new Tally('power', options.onProgress);
  const workshop = new Workshop();
  const checker = new Checker(workshop);
  try {
    for (let round = 0; round < options.rounds; round += pointsOfRecording) {
      const seed = options.seed + round;
      const count = Math.min(pointsOfRecording, options.rounds - round);
      const records = await recording(workshop, seed, durability, tally);
      tally.note('recorded calls', records.length);
      const image = new DiskImage();
      const expectations: Expectations = {};
      let applied = 0;
      for (const [i, point] of pointsOf(records, count, seed).entries()) {
        for (; applied < point; applied++) {
          const record = records[applied];
          image.apply(record);
          if (record.kind === 'line') applyLines(expectations, record.bytes.toString().split('\n'));
        }
        const target = workshop.empty('lost-power');
        const left = image.writeAfterPowerLoss(target, randomOf(seed + i));
        const name = `power --seed ${seed} --rounds ${count}, after call ${point} of ${records.length}, ${left}`;
        const directory = folderOf(target, seed);
        const copy = structuredClone(expectations);
        const job = {
          directory,
          expectations: copy,
          maxBytes,
          seed: i,
          write: true,
          thorough: false,
        };
        const result = await checkAndCount(checker, job, tally, name);
        if (result === undefined) options.keep(target, `power-${seed}-${point}`);
        tally.trial();
      }
    }
  } finally {
    await checker.close();
    workshop.remove();
  }
  return tally;
}

/** In every second recording the folder of the database is created too. */
function folderOf(watched: string, seed: number): string {
  return Math.floor(seed / pointsOfRecording) % 2 === 0 ? watched : join(watched, 'db');
}

/** The calls of a process that opens, writes, compacts and closes several times. */
async function recording(
  workshop: Workshop,
  seed: number,
  durability: WriteOptions['durability'],
  tally: Tally,
): Promise<ShimRecord[]> {
  const watched = workshop.empty('recorded');
  const record = join(workshop.empty('record'), 'calls');
  const control = join(workshop.directory, 'control');
  createControl(control);
  // In every third recording a flush fails, after which the process closes the database.
  const fails = Math.floor(seed / pointsOfRecording) % 3 === 2;
  const number = 10 + randomOf(seed).below(100);
  if (fails)
    armControl(
      control,
      failingCall({ call: 'sync', number, count: 1, error: 'EIO', short: false }),
    );
  const write: WriteOptions = {
    directory: folderOf(watched, seed),
    expectations: {},
    seed,
    durability,
    keys: 40,
    maxBytes,
    compacts: true,
    writers: 4,
    maxRows: 20,
    steps: 20,
    sessions: 4,
  };
  const env = shimEnvironment(watched, { control, record });
  const child = workshop.start('write', write, { env });
  const ending = await child.ended;
  if (!fails && ending !== undefined)
    tally.fault('ended processes', `power --seed ${seed} --rounds 1: ${ending}`);
  return readRecords(record);
}

/** Ascending numbers of calls after which the power is lost. */
function pointsOf(records: readonly ShimRecord[], count: number, seed: number): number[] {
  const random = randomOf(seed);
  // Half of the points are where names change and around flushes of directories: these are few.
  const rare = records.flatMap(({ kind, directory, created }, i) =>
    created || directory || kind === 'rename' || kind === 'unlink' || kind === 'link' ? [i] : [],
  );
  const points = Array.from({ length: count }, () => {
    if (random.chance(0.5)) return 1 + random.below(records.length);
    return Math.min(records.length, Math.max(1, random.oneOf(rare) + random.below(5) - 1));
  });
  return points.sort((a, b) => a - b);
}
