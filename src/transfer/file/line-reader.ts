/**
 * Bytes -> records with the numbers of their lines, some at a time: what is held in memory does not
 * grow with the file.
 */
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { EntityModel } from '../../model/index.js';
import { cellTextForm } from '../text/column-text-form.js';
import { type CsvRecord, CsvRecords } from './csv-records.js';
import { fileFailed } from './replace-file.js';
import type { RowFormat } from './row-file.js';
import { extras, type RowRecord } from '../text/row-record.js';

/** A line: its record, or why it is none. */
export interface Line {
  /** From 1; for CSV that of its first line. */
  readonly number: number;
  /** As it stands in the file. */
  readonly text: string;
  /** Makes the record. Throws BadLine with the reason. */
  readonly record: () => RowRecord;
}

/** Why a line holds no record. */
export class BadLine extends Error {}

/** Longest line: a cell may have 100 MiB, and more than this is no file of rows. */
const longestLine = 256 << 20;
const newline = 0x0a;

/**
 * The lines of a stream, in arrays. `name` is for errors. Throws FILE_FAILED for a header that does
 * not fit the entity.
 */
export function linesOf(
  model: EntityModel,
  format: RowFormat,
  stream: Readable,
  name: string,
  ignoreUnknown: boolean,
): AsyncIterable<readonly Line[]> {
  return format === 'csv' ? csvLines(model, stream, name, ignoreUnknown) : jsonLines(stream, name);
}

/**
 * Bytes up to the last line break of each chunk, so that no character is cut; `last` for what no
 * line break ends.
 */
async function* pieces(
  stream: Readable,
  name: string,
): AsyncGenerator<{ readonly bytes: Buffer; readonly last: boolean }> {
  let rest: Buffer[] = [];
  let held = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      rest.push(chunk);
      held += chunk.length;
      if (held > longestLine)
        throw fileFailed(
          name,
          `a line is longer than ${longestLine >> 20} MiB`,
          'give a file with a row on each line',
        );
      continue;
    }
    yield {
      bytes:
        rest.length === 0
          ? chunk.subarray(0, end)
          : Buffer.concat([...rest, chunk.subarray(0, end)]),
      last: false,
    };
    // A copy: the part of a chunk would keep all of it.
    rest = end === chunk.length ? [] : [Buffer.from(chunk.subarray(end))];
    held = chunk.length - end;
  }
  yield { bytes: Buffer.concat(rest), last: true };
}

async function* jsonLines(stream: Readable, name: string): AsyncGenerator<readonly Line[]> {
  let number = 0;
  for await (const { bytes, last } of pieces(stream, name)) {
    const { lines, count } = jsonLinesOf(bytes, number, last);
    number += count;
    yield lines;
  }
}

/** Lines of whole bytes; `last` for bytes that no line break ends. */
function jsonLinesOf(
  bytes: Buffer,
  before: number,
  last: boolean,
): { readonly lines: Line[]; readonly count: number } {
  const sound = isUtf8(bytes);
  const texts = bytes.toString('utf8').split('\n');
  if (!last) texts.pop();
  const lines: Line[] = [];
  texts.forEach((each, i) => {
    const text = each.endsWith('\r') ? each.slice(0, -1) : each;
    if (text.trim() === '') return;
    const number = before + i + 1;
    lines.push({
      number,
      text,
      record: () =>
        parseRecord(number === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text, sound, last),
    });
  });
  return { lines, count: texts.length };
}

function parseRecord(text: string, sound: boolean, last: boolean): RowRecord {
  // Where the bytes are no UTF-8, what was damaged became U+FFFD; other lines of the chunk are as
  // they were.
  if (!sound && text.includes('\uFFFD')) throw new BadLine('the line is not UTF-8');
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch (error) {
    throw new BadLine(
      `the line is not JSON: ${(error as Error).message}${last ? '; the file ends in it, and may have been cut off' : ''}`,
      { cause: error },
    );
  }
  if (typeof said === 'object' && said !== null && !Array.isArray(said)) return said as RowRecord;
  throw new BadLine('the line is no object of JSON');
}

/**
 * Longest record of CSV, in UTF-16 units: one whose quote is never closed would take in the rest of
 * the file.
 */
const longestRecord = 64 << 20;

async function* csvLines(
  model: EntityModel,
  stream: Readable,
  name: string,
  ignoreUnknown: boolean,
): AsyncGenerator<readonly Line[]> {
  const records = new CsvRecords();
  let header: CsvHeader | undefined;
  for await (const { bytes, last } of pieces(stream, name)) {
    const sound = isUtf8(bytes);
    const text = bytes.toString('utf8');
    const found = records.take(
      header === undefined && text.startsWith('\uFEFF') ? text.slice(1) : text,
      last,
    );
    if (records.waiting > longestRecord)
      throw fileFailed(
        name,
        `a record is longer than ${longestRecord >> 20} million characters: a quote may not be closed`,
        'close the quote, or give JSON Lines',
      );
    if (header === undefined && found.length > 0)
      header = csvHeader(model, found.shift()!.fields, name, ignoreUnknown);
    const columns = header;
    if (columns !== undefined) yield found.map((record) => csvLine(columns, record, sound));
  }
  if (header === undefined)
    throw fileFailed(
      name,
      'it is empty: not even a header is there',
      'give a file whose first line names the properties',
    );
}

/**
 * The property of each column, and whether its fields are JSON; undefined for one that is passed
 * over.
 */
type CsvHeader = readonly ({ readonly property: string; readonly json: boolean } | undefined)[];

function csvHeader(
  model: EntityModel,
  names: readonly (string | undefined)[],
  file: string,
  ignoreUnknown: boolean,
): CsvHeader {
  const forms = csvForms(model);
  const fit = `its first line names the properties: ${[...forms.keys()].filter((property) => !property.startsWith('@')).join(',')}`;
  const twice = names.find(
    (property, i) => property !== undefined && names.indexOf(property) !== i,
  );
  if (twice !== undefined)
    throw fileFailed(file, `the header names '${twice}' twice`, 'name each property once');
  const missing = model.key.names.find((segment) => !names.includes(segment));
  if (missing !== undefined)
    throw fileFailed(file, `the header does not name '${missing}', a segment of the key`, fit);
  return names.map((property) => {
    const json = forms.get(property ?? '');
    if (property !== undefined && json !== undefined) return { property, json };
    if (ignoreUnknown) return undefined;
    throw fileFailed(
      file,
      `the header names '${property ?? ''}', which is no property of ${model.name}`,
      `${fit}; or pass over what ${model.name} does not have`,
    );
  });
}

/**
 * The properties that a CSV file of the entity has, in order, and whether their fields are JSON.
 */
export function csvForms(model: EntityModel): ReadonlyMap<string, boolean> {
  const columns = model.columns.map((column): [string, boolean] => [
    column.property,
    column.kind === 'columnMap' ||
      column.kind === 'versions' ||
      cellTextForm(column).form === 'json',
  ]);
  return new Map([
    ...model.key.names.map((name): [string, boolean] => [name, false]),
    ...columns,
    [extras.at, true],
    [extras.older, true],
  ]);
}

function csvLine(
  header: CsvHeader,
  { line, text, fields, fault }: CsvRecord,
  sound: boolean,
): Line {
  return {
    number: line,
    text,
    record() {
      if (fault !== undefined) throw new BadLine(`the line is not CSV: ${fault}`);
      if (fields.length !== header.length)
        throw new BadLine(`the line has ${fields.length} fields, and the header ${header.length}`);
      if (!sound && text.includes('\uFFFD')) throw new BadLine('the line is not UTF-8');
      const record: RowRecord = {};
      header.forEach((column, i) => {
        const field = fields[i];
        if (column === undefined || field === undefined) return;
        record[column.property] = column.json ? parsedField(column.property, field) : field;
      });
      return record;
    },
  };
}

function parsedField(property: string, field: string): unknown {
  try {
    return JSON.parse(field);
  } catch (error) {
    throw new BadLine(`${property}: the field is not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** A record as a line of CSV, with its line break (RFC 4180). */
export function csvText(
  properties: readonly (readonly [property: string, json: boolean])[],
  record: RowRecord,
): string {
  let line = '';
  properties.forEach(([property, json], i) => {
    const value = record[property];
    if (i > 0) line += ',';
    if (value === undefined || value === null) return;
    const field = json || typeof value !== 'string' ? JSON.stringify(value) : value;
    line +=
      field === '' || /[",\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
  });
  return `${line}\n`;
}
