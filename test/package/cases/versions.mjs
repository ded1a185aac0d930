import assert from 'node:assert/strict';
import * as one from 'rowsmith';
import * as other from 'rowsmith-other';
import { exportRows } from 'rowsmith-other/tools';

const compile = ({ column, defineEntity, rowKey }) =>
  defineEntity(class Note {}, {
    table: 'notes',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'string' },
    columns: { title: column('m', 'string') },
  });

const [Note, Compiled] = [compile(one), compile(other)];
const files = {
  '0.1.0': /node_modules\/rowsmith\/dist\/esm\/.+\.js$/,
  '0.2.0': /node_modules\/rowsmith-other\/dist\/esm\/.+\.js$/,
};
/** The error of the version `here`, which was given something of the version `there`. */
const mismatchOf =
  (there, here) =>
  ({ code, details }) => {
    assert.equal(code, 'VERSION_MISMATCH');
    assert.deepEqual(details.versions, [there, here]);
    assert.match(details.files[0], files[there]);
    assert.match(details.files[1], files[here]);
    assert.ok(details.problem.includes(`version ${there} (`), details.problem);
    assert.ok(details.problem.includes(`this is version ${here} (`), details.problem);
    assert.match(details.fix, /npm ls rowsmith/);
    return true;
  };
const mismatch = mismatchOf('0.2.0', '0.1.0');
await assert.rejects(one.open('memory:', { entities: [Compiled] }), mismatch);
const db = await one.open('memory:', { entities: [Note] });
assert.throws(() => db.repository(Compiled), mismatch);
assert.throws(() => one.Column('m', 'string')(Compiled.prototype, 'more'), mismatch);
const stranger = Object.assign(new Compiled(), { id: 'a', title: 'x' });
await assert.rejects(db.repository(Note).save(stranger), mismatch);
// Repositories and queries of another version were accepted.
const notes = db.repository(Note);
assert.throws(() => other.bufferedCounters(notes), mismatchOf('0.1.0', '0.2.0'));
const exported = exportRows(notes.scanAll(), 'notes.jsonl', { format: 'jsonl' });
await assert.rejects(exported, mismatchOf('0.1.0', '0.2.0'));
await db.close();

const shared = await other.shared('file:./versions', { entities: [Compiled] });
await assert.rejects(one.shared('file:./versions', { entities: [Note] }), mismatch);
await shared.close();
console.log('passed');
