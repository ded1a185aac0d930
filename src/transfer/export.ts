/** Rows of an entity -> a file or a stream, as JSON Lines or CSV. */
import type { Writable } from 'node:stream';
import type { EntityModel } from '../model/model.js';
import { everything, planOf, rangesOf } from '../query/index.js';
import { unionRanges } from '../bytes/index.js';
import type { Engine } from '../store/index.js';
import { csvForms, csvText } from './line-reader.js';
import { checkFormat, openTarget, type RowFormat } from './row-file.js';
import { rowWriter } from './row-writer.js';

/** How to export. */
export interface ExportOptions {
  readonly format: RowFormat;
  /** Compress the output; default false. */
  readonly gzip?: boolean;
  /** Leave timestamps and older versions out: for other programs. Default false: what is exported is imported as it was. */
  readonly plain?: boolean;
  /** Called after each page. */
  readonly onProgress?: (progress: { readonly rows: number }) => void;
  readonly signal?: AbortSignal;
}

/** What was exported. */
export interface ExportResult {
  readonly rows: number;
  /** Cells in the entity's rows that it does not declare: they are not in the file. */
  readonly undeclaredCells: number;
}

/** Text is gathered to this many UTF-16 units before it is written. */
const flushAt = 1 << 16;

/**
 * Writes every row of the entity. A file takes its place when all is written; until then, and when anything fails, what was there stays. Throws
 * DAMAGED_CELL, FILE_FAILED.
 */
export async function exportRows(engine: Engine, model: EntityModel, to: string | Writable, options: ExportOptions): Promise<ExportResult> {
  const { format, gzip = false, plain = false, onProgress, signal } = options;
  checkFormat(format);
  const target = openTarget(to, gzip);
  const writer = rowWriter(model, !plain);
  const forms = [...csvForms(model)].filter(([property]) => !plain || !property.startsWith('@'));
  const line = format === 'csv' ? (record: Record<string, unknown>) => csvText(forms, record) : (record: Record<string, unknown>) => `${JSON.stringify(record)}\n`;
  const stream = engine.readRows({ table: model.table.name, ranges: unionRanges(rangesOf(model, everything.key).perShard.flat()), reversed: false, ...filterOf(model) }, { signal });
  let text = format === 'csv' ? csvText(forms, Object.fromEntries(forms.map(([property]) => [property, property]))).replaceAll('"', '') : '';
  let rows = 0;
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      while (page.nextRow()) {
        const record = writer.record(page);
        if (record === undefined) continue;
        text += line(record);
        rows++;
      }
      if (text.length >= flushAt) {
        await target.write(text);
        text = '';
      }
      onProgress?.({ rows });
    }
    await target.write(text);
    await target.finish();
  } catch (error) {
    await target.discard();
    throw error;
  } finally {
    await stream.close();
  }
  return { rows, undeclaredCells: writer.undeclared };
}

/** Only the families of the entity: others may hold much, and are not its own. */
function filterOf(model: EntityModel): { readonly filter: { readonly kind: 'families'; readonly families: readonly string[] } } {
  return { filter: { kind: 'families', families: planOf(model, everything, { perShard: [] }).projection.families } };
}
