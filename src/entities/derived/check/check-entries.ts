/** Compares entries with base rows: finds entries that no row backs. */
import { equalBytes, latin1Text } from '../../../base/index.js';
import type { KeyDecoder } from '../../../data/key/index.js';
import type { IndexModel } from '../../model/index.js';
import type { Engine, Row } from '../../../data/store/index.js';
import { entryFilter } from '../index/entry-filter.js';
import type { RowWriter } from '../write/row-writer.js';
import { sameEntry } from '../protocol/step.js';
import { inTurn, settled, type StoredFinding } from './finding.js';
import { rowsByKey } from './stored-rows.js';

/** An entry and the row that it leads to. */
interface Link {
  readonly entry: Uint8Array;
  readonly row: Uint8Array;
}

/** How often an entry is repaired while other writers change its row. */
const maxAttempts = 8;

/** Looks at the entries of one index. */
export class EntryCheck {
  readonly #engine: Engine;
  readonly #writer: RowWriter;
  readonly #at: number;
  readonly #inFlight: number;
  readonly #decodeKey: KeyDecoder;

  /** `at` is the position of the index in the entity's declaration. */
  constructor(engine: Engine, writer: RowWriter, at: number, inFlight: number) {
    this.#engine = engine;
    this.#writer = writer;
    this.#at = at;
    this.#inFlight = inFlight;
    this.#decodeKey = this.#index.entry.key.decoder();
  }

  /** What is wrong with a page of entries. With `repair`, they are deleted. */
  async check(
    entries: readonly Row[],
    repair: boolean,
    signal?: AbortSignal,
  ): Promise<StoredFinding[]> {
    const links = entries.flatMap((entry) => this.#link(entry) ?? []);
    const unbacked = await this.#unbacked(links, signal);
    const look = (orphans: readonly StoredFinding[]): Promise<StoredFinding[]> =>
      this.#look(orphans);
    if (!repair) return settled(unbacked, look);
    // A repair is right beside any writer. The pause spares entries that are on their way.
    const orphans = await settled(unbacked, look, [5]);
    const repaired = await inTurn(orphans, this.#inFlight, (each) => this.#repair(each));
    return repaired.filter((each) => each !== undefined);
  }

  async #unbacked(links: readonly Link[], signal?: AbortSignal): Promise<StoredFinding[]> {
    const { model, rows } = this.#writer;
    const keys = links.map(({ row }) => row);
    const stored = await rowsByKey(this.#engine, model.table.name, keys, rows.filter, signal);
    return links
      .filter(({ row, entry }) => {
        const base = stored.get(latin1Text(row));
        const name = { index: this.#at, key: latin1Text(entry) };
        if (base === undefined) return true;
        return !rows.seen(row, base.cells).entries.some((each) => sameEntry(each, name));
      })
      .map((link) => ({ kind: 'orphan', index: this.#at, ...link, repaired: false }));
  }

  get #index(): IndexModel {
    return this.#writer.model.indexes[this.#at];
  }

  /** Undefined for a row that is not an entry of the index. */
  #link({ key, cells }: Row): Link | undefined {
    if (!this.#decodeKey(key, 0, key.length, {})) return undefined;
    if (!this.#index.unique) {
      const row = this.#writer.requests.baseKey(this.#index, key);
      return row && { entry: key, row };
    }
    const { qualifier } = this.#index.own.holder;
    const holder = cells.find((cell) => equalBytes(cell.qualifier, qualifier));
    return holder && { entry: key, row: holder.value };
  }

  /** The entries that still exist and lead to the same row, which still does not back them. */
  async #look(orphans: readonly StoredFinding[]): Promise<StoredFinding[]> {
    const { table } = this.#index.entry;
    const keys = orphans.map(({ entry }) => entry!);
    const stored = await rowsByKey(this.#engine, table.name, keys, entryFilter(this.#index));
    const links = orphans.flatMap(({ entry, row }) => {
      const current = stored.get(latin1Text(entry!));
      const link = current && this.#link(current);
      return link !== undefined && equalBytes(link.row, row) ? [link] : [];
    });
    return this.#unbacked(links);
  }

  /** Undefined if a row has the entry by now. */
  async #repair(orphan: StoredFinding): Promise<StoredFinding | undefined> {
    const name = { index: this.#at, key: latin1Text(orphan.entry!) };
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { kind } = await this.#writer.repair(name, orphan.row);
      if (kind === 'kept' || kind === 'replaced') return undefined;
      if (kind === 'deleted') return { ...orphan, repaired: true };
      await new Promise((resolve) => setTimeout(resolve, 1 << attempt));
    }
    return orphan;
  }
}
