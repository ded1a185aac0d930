/** The conformance cases with writes by an owner, and reads by an engine opened with readOnly. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../../src/data/store/index.js';
import { openDiskEngine, openReadOnlyEngine } from '../../../src/engines/local/index.js';
import { describeEngine } from '../conformance.js';

let work: string;
beforeAll(() => void (work = mkdtempSync(join(tmpdir(), 'rowsmith-read-'))));
afterAll(() => rmSync(work, { recursive: true }));

/** Reads of one engine, and everything else of another one. */
function readingFrom(reader: Engine, owner: Engine): Engine {
  const reads: readonly (string | symbol)[] = ['readRows', 'sampleRowKeys', 'listTables'];
  const close = async (): Promise<void> => {
    await reader.close();
    await owner.close();
  };
  return new Proxy(owner, {
    get(target, name) {
      if (name === 'close') return close;
      const engine = reads.includes(name) ? reader : target;
      const member = engine[name as keyof Engine];
      return typeof member === 'function' ? (member as () => unknown).bind(engine) : member;
    },
  });
}

describeEngine('read beside the owner', async (clock) => {
  const directory = mkdtempSync(join(work, 'conformance-'));
  const owner = await openDiskEngine(directory, { durability: 'relaxed', clock });
  const reader = await openReadOnlyEngine(directory, { clock });
  const engine = readingFrom(reader, owner);
  return { engine, close: () => engine.close() };
});
