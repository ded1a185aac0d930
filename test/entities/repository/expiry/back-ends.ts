/** Databases with one clock: some collect garbage when they read, and some never do. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, type OpenOptions } from '../../../../src/index.js';
import { shareOf } from '../../../support/back-end-share.js';
import { openOverOurServer } from '../../../engines/bigtable/live-backends.js';
import { type BackEnd, openLive } from '../support/back-ends.js';
import { start } from './entities.js';

/** The time for all of them. */
export const clock = { now: start };
const time = (): number => clock.now;

function memory(name: string, gc: OpenOptions['gc']): BackEnd {
  return {
    name,
    open: async (entities) => {
      const db = await open('memory:', { entities, clock: time, gc });
      return { db, close: () => db.close() };
    },
  };
}

function disk(name: string, gc: OpenOptions['gc']): BackEnd {
  return {
    name,
    open: async (entities) => {
      const folder = mkdtempSync(join(tmpdir(), 'rowsmith-ends-'));
      const url = `file:${folder}`;
      const db = await open(url, { entities, clock: time, gc, durability: 'relaxed' });
      const close = async (): Promise<void> => {
        await db.close();
        rmSync(folder, { recursive: true });
      };
      return { db, close };
    },
  };
}

/** The server collects nothing: the client hides what it may collect. */
const live: BackEnd = {
  name: 'live',
  open: (entities) =>
    openLive(() => openOverOurServer({ clock: time, gc: 'manual' }))(entities, { clock: time }),
};

export const backEnds = shareOf({
  usual: [memory('memory', 'onRead'), memory('memory that collects by hand', 'manual')],
  rest: [disk('disk', 'onRead'), disk('disk that collects by hand', 'manual'), live],
});
