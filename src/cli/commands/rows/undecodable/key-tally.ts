/** Reads the keys of a table, all or a sample, and counts them by the entity that decodes them. */
import { copyBytes, everyKey, type KeyRange, printable } from '../../../../base/index.js';
import { isMaintained } from '../../../../entities/derived/index.js';
import { type EntityModel, isOwnFamily, storedModels } from '../../../../entities/model/index.js';
import type { Engine, Filter, RowCursor } from '../../../../data/store/index.js';
import { splitKeySpace } from '../../../../tools/pull/index.js';

/** Keys that are shown for each reason. */
const shownKeys = 3;

/** Keys that no entity decodes, for one reason. */
export interface Reason {
  /** The entity that decodes most of these keys. */
  readonly entity: string;
  readonly reason: string;
  rows: number;
  readonly keys: string[];
}

/** What was found in the keys of a table. */
export interface KeyReport {
  readonly table: string;
  readonly rows: number;
  /** Rows by the entity that decodes their key. */
  readonly entities: Readonly<Record<string, number>>;
  readonly undecodable: number;
  readonly reasons: readonly Reason[];
  /** There may be keys that were not read. */
  readonly sampled: boolean;
}

/** The keys to read. */
export interface TalliedKeys {
  readonly table: string;
  /** Everything that writes rows into the table. */
  readonly models: readonly EntityModel[];
  /** About so many keys, from all parts of the table; undefined for all. */
  readonly sample: number | undefined;
  /** Default: the whole table. */
  readonly ranges?: readonly KeyRange[];
}

/** Everything that writes rows into a table. */
export function modelsIn(models: readonly EntityModel[], table: string): readonly EntityModel[] {
  return storedModels(models).filter((model) => model.table.name === table);
}

/** Reads and counts keys; `onRows` is called with their number after each page. */
export async function tallyKeys(
  engine: Engine,
  { table, models, sample, ranges: given }: TalliedKeys,
  onRows: (rows: number) => void = () => undefined,
): Promise<KeyReport> {
  const tally = new Tally(models);
  let ranges = given ?? [everyKey];
  if (sample !== undefined && given === undefined)
    ranges = splitKeySpace((await engine.sampleRowKeys(table)).map(({ key }) => key));
  let sampled = false;
  for (const [i, range] of ranges.entries()) {
    const left = sample === undefined ? undefined : sample - tally.rows;
    const limit = left === undefined ? undefined : Math.ceil(left / (ranges.length - i));
    const before = tally.rows;
    if (limit !== 0)
      await readKeys(engine, { table, models, range, limit }, (page) => {
        while (page.nextRow()) tally.add(page);
        onRows(tally.rows);
      });
    sampled ||= limit === tally.rows - before;
  }
  return { table, sampled, ...tally.results() };
}

interface ReadKeys {
  readonly table: string;
  readonly models: readonly EntityModel[];
  readonly range: KeyRange;
  readonly limit: number | undefined;
}

/** Reads keys with their families, without values, until `onPage` returns false. */
export async function readKeys(
  engine: Engine,
  { table, models, range, limit }: ReadKeys,
  onPage: (page: RowCursor) => boolean | void,
): Promise<void> {
  // Of a deleted row with indexes, cells of the library's families are left for a day.
  const cells: Filter = models.some(isMaintained)
    ? { kind: 'cellsPerColumn', count: 1 }
    : { kind: 'cellsPerRow', count: 1 };
  const filter: Filter = { kind: 'chain', filters: [cells, { kind: 'stripValue' }] };
  const stream = engine.readRows({ table, ranges: [range], reversed: false, limit, filter });
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next())
      if (onPage(page) === false) return;
  } finally {
    await stream.close();
  }
}

/** Finds the entity of each row. */
export class KeyDecoders {
  readonly #decoders;

  constructor(models: readonly EntityModel[]) {
    this.#decoders = models.map(({ key }) => key.decoder());
  }

  /** The index of a row's model; -1 if there is none, undefined for the rest of a deleted row. */
  find(row: RowCursor): number | undefined {
    const { keyBytes, keyStart, keyEnd } = row;
    const found = this.#decoders.findIndex((decode) => decode(keyBytes, keyStart, keyEnd, {}));
    if (found !== -1) return found;
    while (row.nextCell()) if (!isOwnFamily(row.family)) return -1;
    return undefined;
  }
}

/** Counts keys by the entity that decodes them, or by the reason that none does. */
class Tally {
  rows = 0;
  readonly #models: readonly EntityModel[];
  readonly #decoders: KeyDecoders;
  readonly #counts: number[];
  readonly #reasons = new Map<string, Reason>();

  constructor(models: readonly EntityModel[]) {
    this.#models = models;
    this.#decoders = new KeyDecoders(models);
    this.#counts = models.map(() => 0);
  }

  add(row: RowCursor): void {
    this.rows++;
    const found = this.#decoders.find(row);
    if (found === -1) this.#addReason(copyBytes(row.keyBytes, row.keyStart, row.keyEnd));
    else if (found !== undefined) this.#counts[found]++;
  }

  results(): Omit<KeyReport, 'table' | 'sampled'> {
    const reasons = [...this.#reasons.values()].sort((a, b) => b.rows - a.rows);
    return {
      rows: this.rows,
      entities: Object.fromEntries(this.#models.map(({ name }, i) => [name, this.#counts[i]])),
      undecodable: reasons.reduce((sum, { rows }) => sum + rows, 0),
      reasons,
    };
  }

  #addReason(key: Uint8Array): void {
    const { entity, reason } = nearestReason(this.#models, key);
    const id = `${entity} ${reason}`;
    const known = this.#reasons.get(id) ?? { entity, reason, rows: 0, keys: [] };
    known.rows++;
    if (known.keys.length < shownKeys) known.keys.push(printable(key));
    this.#reasons.set(id, known);
  }
}

/** The reason of the entity that decodes most of the key. */
function nearestReason(
  models: readonly EntityModel[],
  key: Uint8Array,
): { readonly entity: string; readonly reason: string } {
  const candidates = models.map(({ name, key: codec }) => {
    const reason = codec.foreignReason(key)!;
    return { entity: name, reason, part: partOf(reason) };
  });
  return candidates.reduce((a, b) => (b.part > a.part ? b : a));
}

/** How far a key was decoded: `Part 2 of the key ...`, or beyond the last part. */
function partOf(reason: string): number {
  const part = /^Part (\d+)/.exec(reason)?.[1];
  if (part !== undefined) return Number(part);
  return reason.includes('after its last part') ? Infinity : 0;
}
