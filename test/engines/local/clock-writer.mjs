// Writes a cell with the engine's clock, an hour ahead, and is killed: node clock-writer.mjs DIRECTORY
const { openDiskEngine } = await import('./engine.mjs');

const engine = await openDiskEngine(process.argv[2], { clock: () => Date.now() + 3_600_000 });
await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
const bytes = (text) => new TextEncoder().encode(text);
const cell = {
  kind: 'setCell',
  family: 'a',
  qualifier: bytes('q'),
  timestamp: -1,
  value: bytes('killed'),
};
await engine.mutateRow('t', { key: bytes('k'), mutations: [cell] });
process.kill(process.pid, 'SIGKILL');
