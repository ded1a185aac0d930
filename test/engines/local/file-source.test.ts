/** Reads from the file of a table, beside the tables that read them. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  databaseIdBytes,
  encodeFileHeader,
  fileHeaderBytes,
  newSalt,
  noSalt,
  tableKind,
} from '../../../src/engines/local/kv/directory/file-header.js';
import { FileHandles, FileSource } from '../../../src/engines/local/kv/tables/file-source.js';

let directory: string;
beforeAll(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-source-'))));
afterAll(() => rmSync(directory, { recursive: true }));

/** A file whose byte at a position is the position. */
function sourceOf(handles: FileHandles): FileSource {
  const salt = newSalt();
  const database = new Uint8Array(databaseIdBytes);
  const ids = { owner: 1, number: 1 };
  const identity = { ...ids, database, salt, bytes: 200 };
  const source = new FileSource(directory, identity, handles);
  const header = { ...ids, kind: tableKind, database, salt, firstCommit: 0, previousSalt: noSalt };
  const content = Uint8Array.from({ length: 200 }, (_, at) => at);
  content.set(encodeFileHeader(header));
  writeFileSync(source.path, content);
  return source;
}

test('any number of bytes is read, also one', () => {
  const handles = FileHandles.ofReader();
  const source = sourceOf(handles);
  for (const [start, end] of [
    [fileHeaderBytes, 200],
    [150, 151],
    [199, 200],
    [150, 150],
  ]) {
    const target = new Uint8Array(end - start);
    source.readInto(target, 0, start, end);
    expect([...target]).toEqual(Array.from({ length: end - start }, (_, at) => start + at));
  }
  handles.closeAll();
});

test('a file that becomes shorter while it is open is damaged', () => {
  const handles = FileHandles.ofReader();
  const source = sourceOf(handles);
  source.check();
  truncateSync(source.path, 160);
  const read = (): void => source.readInto(new Uint8Array(50), 0, 150, 200);
  expect(read).toThrow(
    expect.objectContaining({
      code: 'CORRUPT_DATA',
      details: expect.objectContaining({
        problem: 'the file became shorter while it was read',
      }) as object,
    }),
  );
  handles.closeAll();
});
