import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import { ReferenceEngine } from '../engines/reference-engine.js';
import { describeFidelity, fidelityCases } from './fidelity.js';

describeFidelity('the engine in memory', async (options) => {
  const engine = await openMemoryEngine(options);
  return { engine, close: () => engine.close() };
});

describeFidelity('the engine on disk', async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-fidelity-'));
  const engine = await openDiskEngine(directory, { ...options, durability: 'relaxed' });
  return { engine, close: async () => {
    await engine.close();
    rmSync(directory, { recursive: true });
  } };
});

// The reference engine leaves patterns to JavaScript, and what the types forbid to the compiler.
describeFidelity('the reference engine', async (options) => {
  const engine = new ReferenceEngine(options);
  return { engine, close: () => engine.close() };
}, ({ id }) => !/^(H.|J5|C9|G14|K4|K8)$/.test(id));

test('every case has its own name', () => {
  expect(new Set(fidelityCases.map(({ id }) => id)).size).toBe(fidelityCases.length);
});
