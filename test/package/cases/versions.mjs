import assert from 'node:assert/strict';
import * as one from 'rowsmith';
import * as other from 'rowsmith-other';

const compile = ({ column, defineEntity, rowKey }) =>
  defineEntity(class Note {}, {
    table: 'notes',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'string' },
    columns: { title: column('m', 'string') },
  });

const [Note, Compiled] = [compile(one), compile(other)];
const mismatch = ({ code, details }) => {
  assert.equal(code, 'VERSION_MISMATCH');
  assert.deepEqual(details.versions, ['0.2.0', '0.1.0']);
  assert.match(details.files[0], /node_modules\/rowsmith-other\/dist\/esm\/.+\.js$/);
  assert.match(details.files[1], /node_modules\/rowsmith\/dist\/esm\/.+\.js$/);
  assert.match(details.problem, /version 0\.2\.0 .+version 0\.1\.0/);
  assert.match(details.fix, /npm ls rowsmith/);
  return true;
};
await assert.rejects(one.open('memory:', { entities: [Compiled] }), mismatch);
const db = await one.open('memory:', { entities: [Note] });
assert.throws(() => db.repository(Compiled), mismatch);
assert.throws(() => one.Column('m', 'string')(Compiled.prototype, 'more'), mismatch);
await db.close();

const shared = await other.shared('file:./versions', { entities: [Compiled] });
await assert.rejects(one.shared('file:./versions', { entities: [Note] }), mismatch);
await shared.close();
console.log('passed');
