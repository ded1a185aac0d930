// Writes a cell with the engine's clock, an hour ahead, and is killed: node clock-writer.mjs DIRECTORY
const { openDiskEngine } = await import('./engine.mjs');

/** A CellClock, which the bundle does not export. */
const cellClock = {
  newest: 0,
  next() {
    return (this.newest = Math.max(this.newest, (Date.now() + 3_600_000) * 1000));
  },
  startAt(newest) {
    this.newest = newest;
  },
};
const engine = await openDiskEngine(process.argv[2], { cellClock });
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
