/** Cells of more than 10 MiB and rows of more than 100 MiB emit a process warning, once. */
import { Column, Entity, maxVersions, open, rowKey, Segment, table } from '../../../src/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';

const mebibyte = 1024 * 1024;
const blobs = table('blobs', { families: { b: { gc: maxVersions(1) } } });

@Entity({ table: blobs })
class Blob {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('b', 'bytes') small?: Uint8Array;
  @Column('b', 'bytes') large?: Uint8Array;
}

let warnings: [code: string, text: string][];
let spy: jest.SpyInstance;
beforeEach(() => {
  warnings = [];
  spy = jest.spyOn(process, 'emitWarning').mockImplementation(((text: string, options: object) => {
    warnings.push([(options as { code: string }).code, text]);
  }) as never);
});
afterEach(() => spy.mockRestore());

test('a large cell, once for the property', async () => {
  await using db = await open('memory:', { entities: [Blob] });
  const repository = db.repository(Blob);
  await repository.save(repository.create({ id: 'a', small: new Uint8Array(10 * mebibyte) }));
  expect(warnings).toEqual([]);
  const large = new Uint8Array(10 * mebibyte + 1);
  await repository.save(repository.create({ id: 'a', large }));
  await repository.patch({ id: 'a' }, { large });
  expect(warnings).toEqual([
    ['ROWSMITH_LARGE_CELL', expect.stringContaining('Blob.large: a value of 10.1 MiB')],
  ]);
  await repository.patch({ id: 'a' }, { small: large });
  expect(warnings[1]).toEqual(['ROWSMITH_LARGE_CELL', expect.stringContaining('Blob.small')]);
});

test('a row that grows beyond 100 MiB, once for the table', async () => {
  const engine = await openMemoryEngine();
  await engine.createTable({ name: 't', families: new Map([['f', {}]]) });
  const key = new Uint8Array([1]);
  const value = new Uint8Array(9 * mebibyte);
  const write = (n: number) =>
    engine.mutateRow('t', {
      key,
      mutations: [
        { kind: 'setCell', family: 'f', qualifier: new Uint8Array([n]), timestamp: 0, value },
      ],
    });
  for (let n = 0; n < 11; n++) await write(n);
  expect(warnings).toEqual([]);
  await write(11);
  await write(12);
  expect(warnings).toEqual([
    ['ROWSMITH_LARGE_ROW', expect.stringContaining('table t: a row has grown to 108 MiB')],
  ]);
  await engine.close();
});
