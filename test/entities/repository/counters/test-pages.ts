/** A test database with pages for each test, and buffered counters of them. */
import {
  bufferedCounters,
  type BufferedCountersOptions,
  type Repository,
} from '../../../../src/index.js';
import { type TestDatabase, testDatabase } from '../../../../src/tools/testing/index.js';
import { Page, pageOf } from './counter-entities.js';

/** What a test uses; another one for each test. */
export class TestPages {
  db!: TestDatabase;
  /** The number of sums that each flush has written. */
  flushed: number[] = [];

  constructor() {
    beforeEach(async () => {
      this.db = await testDatabase([Page]);
      this.flushed = [];
    });
    afterEach(() => this.db.close());
  }

  get pages(): Repository<typeof Page> {
    return this.db.repository(Page);
  }

  counters(options: BufferedCountersOptions = {}) {
    return bufferedCounters(this.pages, {
      onFlush: ({ written }) => void this.flushed.push(written.length),
      ...options,
    });
  }

  async hits(site: string): Promise<bigint | undefined> {
    return (await this.pages.get(pageOf(site)))?.hits;
  }
}

/** Lets requests in memory end, each of which takes a few turns of the event loop. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
}

/** Matches a RowsmithError. */
export const error = (code: string, details = {}): Error =>
  expect.objectContaining({ code, details: expect.objectContaining(details) as unknown }) as Error;
