/** A project over a database with rows of an earlier declaration, on every back end. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../../src/index.js';
import { command } from '../../support/command.js';
import { shareOf } from '../../support/back-end-share.js';
import { openOverEmulator, openOverOurServer } from '../../engines/bigtable/live-backends.js';
import { findEmulator } from '../../support/emulator.js';
import { Note, OldOrder, Order } from './entities.js';

const status = 'open';

/** A project over a database. */
export interface Project {
  readonly run: (line: string) => ReturnType<typeof command>;
  readonly close: () => Promise<void>;
}

/** A project with the new declaration over rows of both, and of another entity. */
async function build(url: string, live: boolean, end: () => Promise<void>): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-undecodable-'));
  mkdirSync(join(folder, 'data'));
  const absolute = url.replace('./', `${folder}/`);
  const old = await open(absolute, { entities: [OldOrder], lint: false });
  if (live) await old.admin.apply();
  for (const n of [1, 2])
    await old.repository(OldOrder).save(Object.assign(new OldOrder(), { shop: 'oslo', n, status }));
  await old.close();
  const db = await open(absolute, { entities: [Order, Note], lint: false });
  await db.repository(Order).save(Object.assign(new Order(), { shop: 'oslo', n: 10, status }));
  await db
    .repository(Note)
    .save(Object.assign(new Note(), { shop: 'oslo', n: 5, part: 1, text: 'x' }));
  await db.close();
  const entities = JSON.stringify(join(__dirname, 'entities.ts'));
  writeFileSync(
    join(folder, 'rowsmith.config.cjs'),
    `const { Order, Note } = require(${entities});
module.exports = { entities: [Order, Note], url: ${JSON.stringify(url)} };\n`,
  );
  return {
    run: (line) => command(folder, line.split(' ')),
    close: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function buildLive(
  start: () => Promise<{ readonly address: string; readonly close: () => Promise<void> }>,
): Promise<Project> {
  const server = await start();
  process.env.BIGTABLE_EMULATOR_HOST = server.address;
  return build('bigtable://p/instance-1', true, async () => {
    delete process.env.BIGTABLE_EMULATOR_HOST;
    await server.close();
  });
}

const emulator = findEmulator();
/** Of this run of the suite. */
export const backEnds = shareOf({
  usual: [{ name: 'disk', start: () => build('file:./data', false, async () => {}) }],
  rest: [
    { name: 'our server', start: () => buildLive(() => openOverOurServer()) },
    ...(emulator === undefined
      ? []
      : [{ name: "Google's emulator", start: () => buildLive(() => openOverEmulator(emulator)) }]),
  ],
});
