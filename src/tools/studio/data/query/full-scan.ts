/** Scans of all rows ask first. */
import type { FaultTexts } from '../../../../base/index.js';
import { estimateRows } from '../../../rows/index.js';
import type { StudioContext } from '../../context.js';
import type { ScanQuestion } from '../../protocol/failure.js';
import { StudioError } from '../../studio-error.js';
import { isFullScan } from './build-query.js';
import type { ParsedQuery } from './parse-query.js';

/** Entities up to this number of rows are read without a question. */
const smallRows = 1_000;

/** Throws FULL_SCAN, with an estimate, if a query reads all of a large entity without consent. */
export async function askForFullScan(context: StudioContext, query: ParsedQuery): Promise<void> {
  if (query.scanAll || !isFullScan(query)) return;
  const scan = await scanQuestion(context, query);
  if (!scan.estimated && scan.rows <= smallRows) return;
  throw new StudioError('FULL_SCAN', faults.fullScan(query.source.model.name), { scan });
}

async function scanQuestion(
  { db, keySpaces }: StudioContext,
  { source }: ParsedQuery,
): Promise<ScanQuestion> {
  const { keyed } = source;
  const table = keyed.table.name;
  const { rows, estimated } = (await estimateRows(db.engine, keyed)) ?? {
    rows: 0,
    estimated: false,
  };
  const { bytes } = await keySpaces.of(table);
  return { table, rows, estimated, bytes };
}

const faults = {
  fullScan: (entity: string) => ({
    problem: `the query reads every row of ${entity}`,
    fix: 'give values of the first segments, or agree to read all rows',
  }),
} satisfies FaultTexts;
