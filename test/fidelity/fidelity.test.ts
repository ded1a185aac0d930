import { ReferenceEngine } from '../engines/reference-engine.js';
import { openMemory } from './backends.js';
import { describeFidelity, fidelityCases } from './fidelity.js';

describeFidelity('the engine in memory', openMemory);

// The reference engine uses JavaScript patterns, and does not check what the types forbid.
describeFidelity(
  'the reference engine',
  async (options) => {
    const engine = new ReferenceEngine(options);
    return { engine, close: () => engine.close() };
  },
  ({ id }) => !/^(H.|J5|C9|G14|K4|K8)$/.test(id),
);

test('every case has a unique identifier', () => {
  expect(new Set(fidelityCases.map(({ id }) => id)).size).toBe(fidelityCases.length);
});
