/** Reads a sample of a table's rows, from all parts of its key space. */
import {
  type KeyRange,
  noBytes,
  RowsmithError,
  suggestionText,
  type FaultTexts,
} from '../../base/index.js';
import {
  collectRows,
  type Engine,
  type Filter,
  type Row,
  type TableSchema,
} from '../../data/store/index.js';

/** A table and some of its rows in key order. */
export interface Sample {
  readonly table: TableSchema;
  readonly rows: readonly Row[];
  /** Every row of the table was read. */
  readonly whole: boolean;
}

/** Cells that are read of a column: enough to see that there are several. */
const maxVersions = 3;
/** Cells that are read of a row. */
const maxCells = 5_000;
/** Ranges of the key space that are read. */
const maxRanges = 16;

const filter: Filter = {
  kind: 'chain',
  filters: [
    { kind: 'cellsPerColumn', count: maxVersions },
    { kind: 'cellsPerRow', count: maxCells },
  ],
};

/** Reads about `count` rows in at most 16 reads. Throws TABLE_NOT_FOUND. */
export async function sampleTable(engine: Engine, name: string, count: number): Promise<Sample> {
  const table = await findTable(engine, name);
  const ranges = splitKeySpace((await engine.sampleRowKeys(name)).map(({ key }) => key));
  const rows: Row[] = [];
  let whole = true;
  for (const [i, range] of ranges.entries()) {
    // Later ranges make up for earlier ones with too few rows.
    const limit = Math.ceil((count - rows.length) / (ranges.length - i));
    if (limit <= 0) {
      whole = false;
      break;
    }
    const found = await collectRows(
      engine.readRows({ table: name, ranges: [range], reversed: false, limit, filter }),
    );
    whole &&= found.length < limit;
    rows.push(...found);
  }
  return { table, rows, whole };
}

async function findTable(engine: Engine, name: string): Promise<TableSchema> {
  const tables = await engine.listTables();
  const table = tables.find((each) => each.name === name);
  if (table !== undefined) return table;
  const names = tables.map((each) => each.name);
  throw new RowsmithError('TABLE_NOT_FOUND', {
    table: name,
    ...faults.unknownTable(name, names.length, names),
  });
}

/** At most 16 ranges that cover the key space, split at sampled keys. */
export function splitKeySpace(keys: readonly Uint8Array[]): KeyRange[] {
  const candidates = keys.filter((key) => key.length > 0);
  const step = Math.max(1, Math.ceil((candidates.length + 1) / maxRanges));
  const splits = candidates.filter((_, i) => (i + 1) % step === 0);
  return [noBytes, ...splits].map((start, i) => ({ start, end: splits[i] }));
}

const faults = {
  unknownTable: (name: string, length: number, names: readonly string[]) => ({
    problem: `there is no table '${name}'`,
    fix:
      length === 0
        ? 'open a database with tables: this one is empty'
        : suggestionText(name, names, 'the tables are'),
  }),
} satisfies FaultTexts;
