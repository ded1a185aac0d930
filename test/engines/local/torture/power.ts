/**
 * Power loss: the calls of processes that write are recorded, and databases are built as a power
 * loss at some of these calls could leave them. All rows that had been acknowledged are there.
 */
import { join } from 'node:path';
import { DiskImage } from './disk-image.js';
import { checkAndCount } from './outcomes.js';
import { Checker, type Ending, Workshop } from './processes.js';
import { type Random, randomOf } from './random.js';
import type { Expectations } from './rows.js';
import {
  armControl,
  createControl,
  failingCall,
  killingCall,
  readRecords,
  shimEnvironment,
  type ShimRecord,
} from './shim.js';
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

/** What else happens in a recording. */
const interruptions = ['none', 'killed', 'failed'] as const;

/** The calls of processes that open, write, compact and close several times. */
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
  const env = shimEnvironment(watched, { control, record });
  const random = randomOf(seed);
  const interruption = interruptions[Math.floor(seed / pointsOfRecording) % 3];
  const expectations: Expectations = {};
  const run = async (sessions: number, writerSeed: number): Promise<Ending> => {
    const directory = folderOf(watched, seed);
    const write = { ...settings, directory, expectations, seed: writerSeed, durability, sessions };
    const child = workshop.start('write', write, { env });
    const ending = await child.ended;
    applyLines(expectations, child.lines);
    for (const line of child.lines.filter((text) => text.startsWith('fault')))
      if (interruption !== 'failed')
        tally.fault('failed writes', `power --seed ${seed} --rounds 1: ${line}`);
    return ending;
  };
  if (interruption === 'killed')
    for (let process = 1; process <= killedProcesses; process++) {
      // The calls are counted from 1 again.
      createControl(control);
      armControl(control, randomKill(random));
      const ending = await run(1, seed + process * 1_000_003);
      if (ending?.startsWith('SIGKILL') === true) tally.note('killed processes');
      armControl(control, []);
    }
  // The process closes the database after the failure.
  if (interruption === 'failed') armControl(control, failedFlush(10 + random.below(100)));
  const ending = await run(interruption === 'killed' ? 1 : 4, seed);
  if (interruption !== 'failed' && ending !== undefined)
    tally.fault('ended processes', `power --seed ${seed} --rounds 1: ${ending}`);
  return readRecords(record);
}

/** Processes of a recording that are killed before the last one. */
const killedProcesses = 6;

const settings = {
  keys: 40,
  maxBytes,
  compacts: true,
  writers: 4,
  maxRows: 20,
  steps: 20,
};

function failedFlush(number: number): number[] {
  return failingCall({ call: 'sync', number, count: 1, error: 'EIO', short: false });
}

/** Half of the processes are killed before a flush, and some while they open the database. */
function randomKill(random: Random): number[] {
  const call = random.oneOf(['sync', 'sync', 'sync', 'rename', 'unlink', 'write'] as const);
  const isEarly = call === 'rename' || call === 'unlink' || random.chance(0.5);
  return killingCall(call, 1 + random.below(isEarly ? 6 : 40));
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
