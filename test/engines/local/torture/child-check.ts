/** Opens databases, compares their rows and writes to them: a job a line, and a line for each. */
import { createInterface } from 'node:readline';
import type { Engine } from '../../../../src/storage.js';
import { openSmall } from './open-small.js';
import {
  compareRow,
  compareRows,
  ensureTable,
  readRow,
  table,
  type Comparison,
  type Expectations,
} from './rows.js';
import { codeOf, say, Workload } from './workload.js';
import { randomOf } from './random.js';

export interface CheckJob {
  readonly directory: string;
  readonly expectations: Expectations;
  readonly maxBytes: number;
  readonly seed: number;
  readonly verify?: boolean;
  /** Writes after reading, and then reads again. */
  readonly write: boolean;
  /** Reads in reverse and single rows too, and opens the database a second time. */
  readonly thorough: boolean;
}

export interface CheckResult extends Comparison {
  /** Codes of what failed, after the name of the step. */
  readonly errors: string[];
  /** What the rows are now. */
  readonly expectations: Expectations;
}

export async function checkDatabases(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin }))
    say(`result ${JSON.stringify(await check(JSON.parse(line) as CheckJob))}`);
}

async function check(job: CheckJob): Promise<CheckResult> {
  const result: CheckResult = { lost: [], wrong: [], errors: [], expectations: job.expectations };
  for (let opening = 0; opening < (job.thorough ? 2 : 1); opening++) {
    const options = { durability: 'relaxed', verify: job.verify } as const;
    const engine = await attempt(result, 'open', () => openSmall(job.directory, options));
    if (engine === undefined) return result;
    await readAll(engine, job, result);
    if (job.write && opening === 0)
      await attempt(result, 'write', () => write(engine, job, result));
    await attempt(result, 'close', () => engine.close());
  }
  return result;
}

async function readAll(engine: Engine, job: CheckJob, result: CheckResult): Promise<void> {
  const { expectations, maxBytes } = job;
  const compare = { maxBytes, result };
  await attempt(result, 'read', () => compareRows(engine, expectations, compare));
  if (!job.thorough) return;
  const reversed = { ...compare, reversed: true };
  await attempt(result, 'reverse', () => compareRows(engine, expectations, reversed));
  const tables = await attempt(result, 'tables', () => engine.listTables());
  if (tables?.some(({ name }) => name === table) !== true) return;
  const random = randomOf(job.seed);
  const keys = Object.keys(expectations);
  for (let i = 0; i < 10 && keys.length > 0; i++) {
    const key = random.oneOf(keys);
    await attempt(result, 'get', async () =>
      compareRow(key, await readRow(engine, key), expectations[key], maxBytes, result),
    );
  }
}

async function write(engine: Engine, job: CheckJob, result: CheckResult): Promise<void> {
  const { expectations, maxBytes } = job;
  await ensureTable(engine);
  const keys = Object.keys(expectations).length;
  const workload = new Workload(expectations, { keys, maxBytes, maxRows: 20, writers: 1 });
  await workload.run(engine, job.seed, 5);
  for (const code of [...workload.errors, ...workload.readErrors])
    result.errors.push(`write ${code}`);
  result.lost.push(...workload.comparison.lost);
  result.wrong.push(...workload.comparison.wrong);
  await compareRows(engine, expectations, { maxBytes, result });
}

/** Runs a step; its error is collected. */
async function attempt<T>(
  { errors }: CheckResult,
  step: string,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    errors.push(`${step} ${codeOf(error)}`);
    return undefined;
  }
}
