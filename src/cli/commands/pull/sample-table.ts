/** A sample of a table's rows, from all over its key space. */
import { nearestName } from '../../../base/index.js';
/** A sample of a table's rows, from all over its key space. */
import { type KeyRange, noBytes } from '../../../bytes/index.js';
import { collectRows, type Engine, type Row, type TableSchema } from '../../../store/index.js';
import { RowsmithError } from '../../../errors.js';

/** The table, and rows of it in key order. */
export interface Sample {
  readonly table: TableSchema;
  readonly rows: readonly Row[];
  /** Every row of the table was read. */
  readonly whole: boolean;
}

/** Versions of a column that are looked at: more than one is what matters. */
const versionsRead = 3;
/** Cells of one row that are looked at. */
const cellsRead = 5_000;
/** Places in the key space at which rows are read. */
const places = 16;

/** Reads about `count` rows, at most 16 reads. Throws TABLE_NOT_FOUND. */
export async function sampleTable(engine: Engine, name: string, count: number): Promise<Sample> {
  const tables = await engine.listTables();
  const table = tables.find((each) => each.name === name);
  if (table === undefined) {
    const names = tables.map((each) => each.name);
    const near = nearestName(name, names);
    const known =
      names.length === 0 ? 'the database has no tables' : `the tables are ${names.join(', ')}`;
    throw new RowsmithError('TABLE_NOT_FOUND', {
      table: name,
      problem: `there is no table '${name}'`,
      fix: near === undefined ? known : `did you mean '${near}'?`,
    });
  }
  const ranges = partsOf((await engine.sampleRowKeys(name)).map(({ key }) => key));
  const rows: Row[] = [];
  let whole = true;
  for (const [i, range] of ranges.entries()) {
    // What earlier places had too few rows for goes to the later ones.
    const limit = Math.ceil((count - rows.length) / (ranges.length - i));
    if (limit <= 0) {
      whole = false;
      break;
    }
    const filter = {
      kind: 'chain',
      filters: [
        { kind: 'cellsPerColumn', count: versionsRead },
        { kind: 'cellsPerRow', count: cellsRead },
      ],
    } as const;
    const found = await collectRows(
      engine.readRows({ table: name, ranges: [range], reversed: false, limit, filter }),
    );
    whole &&= found.length < limit;
    rows.push(...found);
  }
  return { table, rows, whole };
}

/** The key space in at most 16 parts, cut at sampled keys. */
function partsOf(keys: readonly Uint8Array[]): KeyRange[] {
  const cuts = keys.filter((key) => key.length > 0);
  const step = Math.max(1, Math.ceil((cuts.length + 1) / places));
  const chosen = cuts.filter((_, i) => (i + 1) % step === 0);
  return [noBytes, ...chosen].map((start, i) => ({ start, end: chosen[i] }));
}
