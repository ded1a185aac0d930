/** Removes the entries of an index that is no longer declared. */
import { buildKeyCodec, type KeyPart } from '../../../data/key/index.js';
import type { EntityModel } from '../../model/index.js';
import type { Engine } from '../../../data/store/index.js';
import type { IndexStates } from '../index/index-states.js';
import { anyEntryFilter } from '../index/entry-filter.js';
import { pagesOf } from './stored-rows.js';

/** An index with entries to remove. */
export interface DropJob {
  readonly engine: Engine;
  readonly states: IndexStates;
  readonly table: string;
  /** The format of the keys in the table. */
  readonly format: EntityModel['key']['spec']['format'];
  readonly id: string;
  readonly signal?: AbortSignal | undefined;
}

/** Deletes the entries, then the state. Yields the number of entries that are deleted so far. */
export async function* dropIndex(job: DropJob): AsyncGenerator<number> {
  const { engine, states, table, format, id, signal } = job;
  const entries = entriesModel(table, format, id);
  let deleted = 0;
  for await (const rows of pagesOf(engine, entries, anyEntryFilter, { signal })) {
    const results = await engine.mutateRows(
      table,
      rows.map(({ key }) => ({ key, mutations: [{ kind: 'deleteFromRow' }] })),
      { signal },
    );
    const failed = results.find((error) => error !== undefined);
    if (failed !== undefined) throw failed;
    deleted += rows.length;
    yield deleted;
  }
  await states.remove({ id, entry: entries });
}

/** The rows with keys that begin with the id of an index. */
function entriesModel(table: string, format: DropJob['format'], id: string): EntityModel {
  const parts: KeyPart[] = [
    { kind: 'literal', text: id },
    { kind: 'segment', name: 'rest', type: { kind: 'string' } },
  ];
  const built = buildKeyCodec({ format, parts }, id);
  if ('faults' in built) throw new Error(`the entries of ${id} have no key`);
  return {
    name: id,
    entityClass: class {},
    table: { name: table, families: new Map() },
    segments: [{ property: 'rest', type: { kind: 'string' } }],
    key: built.codec,
    columns: [],
    patterns: [],
    indexes: [],
    rollups: [],
  };
}
