/** The write methods of a repository, each called once. */
import type { Repository } from '../../../src/index.js';
import type { Plain } from './entities.js';

type Rows = Repository<typeof Plain>;

/** Rows of a call for many rows. */
const many = 10;
/** Existing rows begin at 0, and new ones here. */
const firstNew = 100;
export const existingIds: readonly number[] = Array.from({ length: many }, (_, id) => id);
const newIds = existingIds.map((id) => firstNew + id);

/** A write of one row, or of several. */
export interface WriteCall {
  readonly name: string;
  readonly needsRevision?: boolean;
  /** Whether it writes several rows of a bucket by requests of their own, at the same time. */
  readonly contends?: boolean;
  readonly run: (rows: Rows) => Promise<unknown>;
}

/** The key of a row: all rows are in one bucket. */
const keyOf = (id: number) => ({ tenant: 'acme', at: new Date(Date.UTC(2026, 0, 1, 12)), id });

/** A row as it is stored before the call. */
export function storedRow(rows: Rows, id: number): Plain {
  return rows.create({ ...keyOf(id), status: `s${id}`, items: id, owner: id, note: 'a note' });
}

/** A change of everything from which something follows. */
const changesOf = (id: number) => ({ status: `t${id}`, items: id + 1, owner: (id + 1) % many });
const changedRow = (rows: Rows, id: number): Plain =>
  rows.create({ ...keyOf(id), ...changesOf(id), note: 'a note' });

export const writeCalls: readonly WriteCall[] = [
  { name: 'save, new row', run: (rows) => rows.save(storedRow(rows, firstNew)) },
  { name: 'save, changed row', run: (rows) => rows.save(changedRow(rows, 0)) },
  { name: 'insert', run: (rows) => rows.insert(storedRow(rows, firstNew)) },
  { name: 'patch', run: (rows) => rows.patch(keyOf(0), changesOf(0)) },
  { name: 'patch of the note', run: (rows) => rows.patch(keyOf(0), { note: 'another' }) },
  {
    name: 'patch and remove',
    run: (rows) => rows.patch(keyOf(0), changesOf(0), { remove: ['note'] }),
  },
  {
    name: 'update',
    needsRevision: true,
    run: (rows) => rows.update(keyOf(0), (row) => void Object.assign(row, changesOf(0))),
  },
  { name: 'increment', run: (rows) => rows.increment(keyOf(0), 'views') },
  { name: 'append to the note', run: (rows) => rows.append(keyOf(0), { note: '.' }) },
  { name: 'delete', run: (rows) => rows.delete(keyOf(0)) },
  {
    name: `saveMany, ${many} new rows`,
    run: (rows) => rows.saveMany(newIds.map((id) => storedRow(rows, id))),
  },
  {
    name: `saveMany, ${many} changed rows`,
    run: (rows) => rows.saveMany(existingIds.map((id) => changedRow(rows, id))),
  },
  {
    name: `insertMany, ${many} rows`,
    contends: true,
    run: (rows) => rows.insertMany(newIds.map((id) => storedRow(rows, id))),
  },
  {
    name: `patchMany, ${many} rows`,
    run: (rows) =>
      rows.patchMany(existingIds.map((id) => ({ key: keyOf(id), changes: changesOf(id) }))),
  },
  {
    name: `patchMany and remove`,
    run: (rows) =>
      rows.patchMany(
        existingIds.map((id) => ({
          key: keyOf(id),
          changes: changesOf(id),
          remove: ['note'] as const,
        })),
      ),
  },
  {
    name: `incrementMany, ${many} rows`,
    contends: true,
    run: (rows) =>
      rows.incrementMany(existingIds.map((id) => ({ key: keyOf(id), changes: { views: 1n } }))),
  },
  { name: `deleteMany, ${many} rows`, run: (rows) => rows.deleteMany(existingIds.map(keyOf)) },
  {
    name: `query.delete, ${many} rows`,
    run: (rows) => rows.prefix({ tenant: 'acme' }).delete(),
  },
  { name: `delete prefix ${many} rows`, run: (rows) => rows.prefix({ tenant: 'acme' }).delete() },
];
