import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as esm from 'rowsmith';
import { startServer as serveEsm } from 'rowsmith/server';
import * as esmTools from 'rowsmith/tools';
import { testDatabase as testEsm } from 'rowsmith/testing';

const require = createRequire(import.meta.url);
const cjs = require('rowsmith');
const { startServer: serveCjs } = require('rowsmith/server');
const cjsTools = require('rowsmith/tools');
const { testDatabase: testCjs } = require('rowsmith/testing');
assert.notEqual(esm.Database, cjs.Database);

/** The entity as a file that each copy's bundle has compiled. */
function compile({ column, counter, defineEntity, indexOn, indexes, maxVersions, rowKey }) {
  return defineEntity(
    class Note {
      isShort() {
        return this.title.length < 10;
      }
    },
    {
      table: 'notes',
      families: { m: { gc: maxVersions(1) } },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { title: column('m', 'string'), visits: counter('m') },
      indexes: indexes({ byTitle: indexOn('title') }),
    },
  );
}

for (const [mine, other, tools, serve, test] of [
  [esm, cjs, cjsTools, serveCjs, testCjs],
  [cjs, esm, esmTools, serveEsm, testEsm],
]) {
  const [Note, Compiled] = [compile(mine), compile(other)];
  const db = await mine.open('memory:', { entities: [Note] });
  const notes = db.repository(Compiled);
  await notes.save(notes.create({ id: 'a', title: 'one' }));
  const read = await notes.get({ id: 'a' });
  assert.ok(read instanceof Compiled && read.isShort());
  assert.equal(await notes.index('byTitle').prefix({ title: 'one' }).count(), 1);

  // Errors.
  for (const [thrower, catcher] of [
    [mine, other],
    [other, mine],
  ]) {
    const error = await thrower.open('nowhere:', { entities: [Note] }).catch((error) => error);
    assert.ok(error instanceof catcher.RowsmithError && catcher.isRowsmithError(error));
    assert.ok(error instanceof Error && !(error instanceof TypeError));
  }
  class Special extends mine.RowsmithError {}
  assert.ok(new Special('EMPTY_ROW') instanceof other.RowsmithError);
  assert.ok(!(new mine.RowsmithError('EMPTY_ROW') instanceof Special));
  for (const value of [new Error('x'), undefined, null, 1, 'RowsmithError', {}])
    assert.ok(!(value instanceof mine.RowsmithError) && !mine.isRowsmithError(value));

  // Functions of one copy with what the other one made.
  const counters = other.bufferedCounters(notes);
  const file = mine === esm ? 'esm.jsonl' : 'cjs.jsonl';
  counters.add({ id: 'a' }, 'visits', 2n);
  await counters.close();
  assert.equal((await notes.get({ id: 'a' })).visits, 2n);
  await tools.exportRows(notes.scanAll(), file, { format: 'jsonl' });
  await notes.delete({ id: 'a' });
  await tools.importRows(db.engine, notes.model, file, { format: 'jsonl' });
  assert.equal((await notes.get({ id: 'a' })).title, 'one');

  // A row of versions that one copy has read must not be saved by the other.
  const partial = await notes.get({ id: 'a' }, { asOf: new Date() });
  const second = await other.open('memory:', { entities: [Compiled] });
  await assert.rejects(second.repository(Compiled).save(partial), { code: 'INVALID_ARGUMENT' });
  await second.close();

  // A server of one copy over an engine of the other.
  const server = await serve(db.engine);
  process.env.BIGTABLE_EMULATOR_HOST = `127.0.0.1:${server.port}`;
  const live = await other.open('bigtable://rowsmith/local', { entities: [Compiled] });
  const remote = live.repository(Compiled);
  await remote.saveMany(
    Array.from({ length: 50 }, (_, i) => remote.create({ id: `r${i}`, title: 'many' })),
  );
  await remote.save(remote.create({ id: 'b', title: 'two' }));
  assert.equal((await notes.get({ id: 'b' })).title, 'two');
  assert.equal(await notes.index('byTitle').prefix({ title: 'many' }).count(), 50);
  await live.close();
  await server.close();
  await db.close();

  // Databases for tests.
  const tested = await test([Note]);
  const rows = tested.repository(Compiled);
  await rows.save(rows.create({ id: 'a', title: 'one' }));
  const snapshot = tested.snapshot();
  await rows.delete({ id: 'a' });
  await tested.restore(snapshot);
  assert.ok((await rows.get({ id: 'a' })) instanceof Compiled);
  await tested.close();
}

// One database a process.
const [Note, Compiled] = [compile(esm), compile(cjs)];
const [first, second] = await Promise.all([
  esm.shared('file:./data', { entities: [Note] }),
  cjs.shared('file:./data', { entities: [Compiled] }),
]);
assert.equal(first, second);
const notes = second.repository(Compiled);
await notes.save(notes.create({ id: 'a', title: 'one' }));
assert.ok((await first.repository(Note).get({ id: 'a' })) instanceof Note);
await first.close();
console.log('passed');
