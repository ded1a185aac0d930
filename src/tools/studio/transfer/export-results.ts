/** Writes the results of a query to a file, exactly as the query finds them. */
import { once } from 'node:events';
import type { UntypedQuery } from '../../rows/index.js';
import { type ByteSink, type CsvColumns, csvHeaderText, csvText } from '../../transfer/index.js';
import type { ResultRecords } from '../data/query/result-records.js';
import type { FileFormat } from '../protocol/transfer.js';

interface ResultsExport {
  readonly query: UntypedQuery;
  readonly records: ResultRecords;
  readonly format: FileFormat;
  readonly signal: AbortSignal;
  readonly onRows: (rows: number) => void;
}

/** Resolves to what was written. */
export async function exportResults(
  sink: ByteSink,
  { query, records, format, signal, onRows }: ResultsExport,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  const toLine = lineForm(records, format);
  let [rows, bytes] = [0, 0];
  const write = async (text: string): Promise<void> => {
    const chunk = Buffer.from(text);
    bytes += chunk.length;
    if (!sink.write(chunk)) await once(sink as never, 'drain', { signal });
  };
  if (format === 'csv') await write(csvHeaderText(csvColumns(records), ','));
  for await (const page of query.signal(signal).pages()) {
    await write(page.map((row) => toLine(row)).join(''));
    onRows((rows += page.length));
  }
  signal.throwIfAborted();
  sink.end();
  return { rows, bytes };
}

function lineForm(records: ResultRecords, format: FileFormat): (row: object) => string {
  if (format === 'jsonl') return (row) => `${JSON.stringify(records.record(row))}\n`;
  const columns = csvColumns(records);
  const style = { delimiter: ',', guardFormulas: false };
  return (row) => csvText(columns, records.record(row), style);
}

/** What is not text is written as JSON. */
function csvColumns({ names }: ResultRecords): CsvColumns {
  return names.map((name) => [name, false]);
}
