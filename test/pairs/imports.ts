/** Calls that import rows, also in two runs. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RowsmithError } from '../../src/index.js';
import type { Engine } from '../../src/data/store/index.js';
import { importStateFile } from '../../src/tools/transfer/import/import-state.js';
import { importRows } from '../../src/tools/transfer/index.js';
import { type Call, type Caller, rowOf } from './calls.js';
import type { Plain } from './row-changes.js';
import type { Broken } from './run-history.js';
import { afterWrites } from './wrapped-engine.js';

type MakeCall = (caller: Caller) => Call;

/** Lines of some rows. One line may be twice. */
function lines(caller: Caller, runs: (engine: Engine) => readonly Engine[]): Call {
  const { program } = caller.context;
  const target = caller.target();
  const keys = [0, 1, 2].map(() => caller.pick(target.keys));
  const values = keys.map((): Plain => {
    const { status, ...rest } = caller.values();
    return { ...rest, status: status?.trim().toLowerCase() };
  });
  const text = values
    .map((each, i) => {
      const tags = each.tags && Object.fromEntries(each.tags);
      return JSON.stringify({ ...target.key(keys[i]), ...each, tags }, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
    })
    .join('\n');
  const engines = runs(program.client.engine);
  const run = async (): Promise<unknown> => {
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-pairs-'));
    const [file, rejects] = ['lines.jsonl', 'rejects.jsonl'].map((name) => join(folder, name));
    writeFileSync(file, text);
    try {
      for (const [i, engine] of engines.entries()) {
        const options = { rejects, clock: () => caller.time.now, resume: i > 0 };
        const importing = importRows(engine, target.repository.model, file, {
          format: 'jsonl',
          ...options,
        });
        if (i === engines.length - 1) await importing;
        else await stopped(importing, file, program.sabotage);
      }
      return { failures: rejectedLines(rejects) };
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const changes = keys.map((key, i) => caller.changes.line(key.at, values[i], caller.time));
  return {
    name: `${target.name}${engines.length > 1 ? 'stopped and resumed ' : ''}import ${keys.map(rowOf).join(' ')}`,
    run,
    parts: changes.map((change, i) => caller.part(keys[i], change, i)),
    readsFirst: true,
    isBelow: true,
    isTwice: engines.length > 1,
  };
}

/** The first run is stopped by its engine. */
async function stopped(run: Promise<unknown>, file: string, { position }: Broken): Promise<void> {
  await run.catch(() => undefined);
  const state = importStateFile(file);
  if (position === undefined || !existsSync(state)) return;
  writeFileSync(state, position(readFileSync(state, 'utf8')));
}

function rejectedLines(file: string): readonly unknown[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { line: number, reason } = JSON.parse(line) as { line: number; reason: string };
      const isTaken = /unique|another row|taken/i.test(reason);
      const error = new RowsmithError(isTaken ? 'UNIQUE_VIOLATION' : 'INVALID_VALUE', { reason });
      return { index: number - 1, error, mayBeWritten: false };
    });
}

export const importLines: MakeCall = (caller) => lines(caller, (engine) => [engine]);
/** The first run stops at a write. */
export const resumeImport: MakeCall = (caller) => {
  const writes = Math.floor(caller.context.random() * 6);
  return lines(caller, (engine) => [afterWrites(engine, writes), engine]);
};
