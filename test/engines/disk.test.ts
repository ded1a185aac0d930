import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine } from '../../src/engines/local/index.js';
import { describeEngine } from './conformance.js';

describeEngine('the engine on disk', async (clock) => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-disk-'));
  let engine = await openDiskEngine(directory, { clock });
  const reopen = async () => {
    await engine.close();
    return (engine = await openDiskEngine(directory, { clock }));
  };
  return {
    engine,
    reopen,
    close: async () => {
      await engine.close();
      rmSync(directory, { recursive: true });
    },
  };
});
