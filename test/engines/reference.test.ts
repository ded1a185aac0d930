import { describeEngine } from './conformance.js';
import { ReferenceEngine } from './reference-engine.js';

describeEngine('the reference engine', async (clock) => {
  const engine = new ReferenceEngine({ clock });
  return { engine, close: () => engine.close() };
});
