/**
 * A durable save, compared with an fdatasync on the same disk and with the minimum for a commit of
 * a copy-on-write tree: write five pages at five positions, flush, write the root, flush.
 */
import { closeSync, constants, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type DataSet, readingOf } from './data-set.js';
import { interleave } from './interleave.js';
import { progress, type Results } from './results.js';
import type { Opened } from './stores.js';

const rounds = 300;
const pageBytes = 8192;
/** Pages of the file to which commits write: 128 MiB. */
const filePages = 16_384;
/** Pages from a leaf to the root with 1,000,000 rows, and one for the list of free pages. */
const commitPages = 5;
const rootBytes = 128;

/** Saves existing rows one at a time, alternating with overwriting and flushing pages of a file. */
export async function measureSave(
  data: DataSet,
  disk: Opened,
  directory: string,
  results: Results,
): Promise<void> {
  const file = openSync(join(directory, 'flushed'), 'w');
  const page = Buffer.alloc(pageBytes, 1);
  // Written first, so that no flush has to extend the file.
  for (let i = 0; i < 64; i++) writeSync(file, page, 0, pageBytes, i * pageBytes);
  fdatasyncSync(file);
  const tree = new TreeFile(join(directory, 'spread'));
  let done = 0;
  const timings = await interleave(
    [
      {
        name: 'fdatasync',
        run(round) {
          writeSync(file, page, 0, pageBytes, (round % 64) * pageBytes);
          fdatasyncSync(file);
          return 1;
        },
      },
      {
        name: 'commit',
        run(round) {
          tree.commit(round);
          return 1;
        },
      },
      {
        name: 'save',
        async run(round) {
          await disk.readings.save(
            readingOf((round * 7919) % data.devices, (round * 104_729) % data.perDevice),
          );
          return 1;
        },
      },
    ],
    rounds,
    20,
    () => progress(`saving: ${++done}`),
  );
  closeSync(file);
  tree.close();
  const floor = timings.get('fdatasync')!;
  results.addTiming('save.fdatasync', floor, 'us');
  results.addTiming('save.tree-commit', timings.get('commit')!, 'us', {
    with: floor,
    of: 'fdatasync',
  });
  results.addTiming('save.durable', timings.get('save')!, 'us', {
    with: floor,
    of: 'fdatasync',
    target: { kind: 'atMost', ratio: 3.5 },
  });
}

/** The writes and flushes of a commit of a copy-on-write tree, without its content. */
class TreeFile {
  readonly #page = Buffer.alloc(pageBytes, 1);
  readonly #pages: number;
  /** Opened so that writes are synchronous. */
  readonly #root: number;

  constructor(path: string) {
    this.#pages = openSync(path, 'w');
    for (let i = 0; i < filePages; i++)
      writeSync(this.#pages, this.#page, 0, pageBytes, i * pageBytes);
    fdatasyncSync(this.#pages);
    this.#root = openSync(path, constants.O_WRONLY | constants.O_DSYNC);
  }

  commit(round: number): void {
    // 7,919 is a prime: each commit writes to other positions.
    for (let i = 0; i < commitPages; i++)
      writeSync(
        this.#pages,
        this.#page,
        0,
        pageBytes,
        (2 + (((round * commitPages + i) * 7919) % (filePages - 2))) * pageBytes,
      );
    fdatasyncSync(this.#pages);
    writeSync(this.#root, this.#page, 0, rootBytes, (round % 2) * pageBytes);
  }

  close(): void {
    closeSync(this.#pages);
    closeSync(this.#root);
  }
}
