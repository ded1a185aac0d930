/**
 * One process at a time can write a directory: the primary has it open, and saves what its workers
 * send. They open the same directory to read.
 */
import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { isRowsmithError, shared } from 'rowsmith';
import { Note } from './note.js';

const url = 'file:./data';
const entities = [Note];

async function primary() {
  rmSync('./data', { recursive: true, force: true });
  const [db, same] = await Promise.all([shared(url, { entities }), shared(url, { entities })]);
  assert.equal(db, same);
  const notes = db.repository(Note);
  await notes.save(notes.create({ id: 'primary', title: 'saved before the workers start' }));
  const workers = [cluster.fork({ NAME: 'a' }), cluster.fork({ NAME: 'b' })];
  for (const worker of workers) {
    worker.on('message', async ({ id, title }) => {
      await notes.save(notes.create({ id, title }));
      worker.send('saved');
    });
  }
  const codes = await Promise.all(workers.map(async (worker) => (await once(worker, 'exit'))[0]));
  assert.deepEqual(codes, [0, 0]);
  const ids = [];
  for await (const { id } of notes.scanAll()) ids.push(id);
  assert.deepEqual(ids, ['a', 'b', 'primary']);
  await db.close();

  const memory = await shared('memory:', { entities });
  assert.equal(memory, await shared('memory:', { entities }));
  await memory.repository(Note).save(memory.repository(Note).create({ id: 'm', title: 'x' }));
  assert.equal(await memory.repository(Note).scanAll().count(), 1);
  await memory.close();
  console.log('cluster: saved and read');
}

async function worker() {
  const id = process.env.NAME;
  const writing = await shared(url, { entities }).catch((error) => error);
  assert.equal(isRowsmithError(writing) && writing.code, 'DATABASE_IN_USE');
  assert.equal(writing.details.pid, process.ppid);
  const db = await shared(url, { entities, readOnly: true });
  const notes = db.repository(Note);
  assert.equal((await notes.get({ id: 'primary' })).title, 'saved before the workers start');
  process.send({ id, title: `by worker ${id}` });
  await once(process, 'message');
  const end = Date.now() + 20_000;
  while ((await notes.get({ id })) === null || (await notes.get({ id })) === undefined) {
    assert.ok(Date.now() < end, 'the worker does not see what the primary has saved');
    await new Promise((done) => setTimeout(done, 20));
  }
  await db.close();
  cluster.worker.disconnect();
}

await (cluster.isPrimary ? primary() : worker());
