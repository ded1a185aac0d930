/**
 * Splits a stream of bytes into lines and parses their records. Memory use does not depend on the
 * size of the file.
 */
import { fileFailed, type FaultTexts } from '../../../base/index.js';
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { EntityModel } from '../../../entities/model/index.js';
import { cellTextForm } from '../../../data/text/index.js';
import { extras, type RowRecord } from '../text/row-record.js';
import type { CsvInput } from './csv-input.js';
import { type CsvRecord, CsvRecords } from './csv-records.js';
import type { RowFormat } from './row-format.js';

/** A line of a file; for CSV a record, which may span several lines. */
export interface Line {
  /** Number of its first line, from 1. */
  readonly number: number;
  /** Its text without the line break at the end. */
  readonly text: string;
  /** Parses the record. Throws InvalidLine. */
  readonly record: () => RowRecord;
}

/** A line that is not a record; the message is the reason. */
export class InvalidLine extends Error {}

/**
 * Maximum length of a line in bytes: above a cell of 100 MiB in base64, and short of filling
 * memory.
 */
const maxLineBytes = 256 << 20;
const lineFeed = 0x0a;
const byteOrderMark = '\uFEFF';
const replacementCharacter = '\uFFFD';

/**
 * The lines of a stream, in arrays. `name` appears in errors. Throws FILE_FAILED if a line is too
 * long, or if a CSV header does not match the entity.
 */
export function linesOf(
  model: EntityModel,
  format: RowFormat,
  stream: Readable,
  name: string,
  csv: CsvInput,
): AsyncIterable<readonly Line[]> {
  if (format === 'csv') return csvLines(model, stream, name, csv);
  return jsonLines(stream, name);
}

interface Piece {
  readonly bytes: Buffer;
  /** Whether it is the end of the file, which may lack a line break. */
  readonly last: boolean;
}

/** The bytes of a stream, cut after line breaks, so that no character is split. */
async function* pieces(stream: Readable, name: string): AsyncGenerator<Piece> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(lineFeed) + 1;
    if (end === 0) {
      rest.push(chunk);
      restBytes += chunk.length;
      if (restBytes > maxLineBytes) throw fileFailed(name, faults.lineTooLong);
      continue;
    }
    let bytes = chunk.subarray(0, end);
    if (rest.length > 0) bytes = Buffer.concat([...rest, bytes]);
    yield { bytes, last: false };
    restBytes = chunk.length - end;
    // Copied, because a view would retain the whole chunk.
    rest = restBytes === 0 ? [] : [Buffer.from(chunk.subarray(end))];
  }
  yield { bytes: Buffer.concat(rest), last: true };
}

async function* jsonLines(stream: Readable, name: string): AsyncGenerator<readonly Line[]> {
  let lineCount = 0;
  for await (const piece of pieces(stream, name)) {
    const texts = piece.bytes.toString('utf8').split('\n');
    if (!piece.last) texts.pop();
    yield jsonLinesOf(texts, lineCount, piece);
    lineCount += texts.length;
  }
}

function jsonLinesOf(texts: readonly string[], before: number, { bytes, last }: Piece): Line[] {
  const isValidUtf8 = isUtf8(bytes);
  const lines: Line[] = [];
  texts.forEach((each, i) => {
    const text = each.endsWith('\r') ? each.slice(0, -1) : each;
    if (text.trim() === '') return;
    const number = before + i + 1;
    const record = (): RowRecord => {
      if (!isValidUtf8) assertUtf8(text);
      return parseRecord(number === 1 ? withoutByteOrderMark(text) : text, last);
    };
    lines.push({ number, text, record });
  });
  return lines;
}

function withoutByteOrderMark(text: string): string {
  if (text.startsWith(byteOrderMark)) return text.slice(1);
  return text;
}

/**
 * For lines of a piece that is not UTF-8: decoding replaced the invalid bytes, and other lines are
 * intact.
 */
function assertUtf8(text: string): void {
  if (text.includes(replacementCharacter)) throw new InvalidLine('the line is not UTF-8');
}

function parseRecord(text: string, last: boolean): RowRecord {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch (cause) {
    let reason = `the line is not JSON: ${(cause as Error).message}`;
    if (last) reason += '; the file ends here and may be truncated';
    throw new InvalidLine(reason, { cause });
  }
  if (typeof record === 'object' && record !== null && !Array.isArray(record))
    return record as RowRecord;
  throw new InvalidLine('the line is not a JSON object');
}

async function* csvLines(
  model: EntityModel,
  stream: Readable,
  name: string,
  csv: CsvInput,
): AsyncGenerator<readonly Line[]> {
  const records = new CsvRecords(csv.syntax);
  let header: CsvHeader | undefined;
  for await (const { bytes, last } of pieces(stream, name)) {
    const isValidUtf8 = isUtf8(bytes);
    let text = bytes.toString('utf8');
    if (header === undefined) text = withoutByteOrderMark(text);
    const found = records.take(text, last);
    if (header === undefined && found.length > 0)
      header = csvHeader(model, found.shift()!, name, csv);
    const columns = header;
    if (columns !== undefined) yield found.map((record) => csvLine(columns, record, isValidUtf8));
  }
  if (header === undefined) throw fileFailed(name, faults.emptyFile);
}

/**
 * The column of each field: its property, and whether it holds JSON; undefined if it is ignored.
 */
type CsvHeader = readonly ({ readonly property: string; readonly json: boolean } | undefined)[];

function csvHeader(
  model: EntityModel,
  { fields, fault, text }: CsvRecord,
  file: string,
  { columns, ignoreUnknown, syntax }: CsvInput,
): CsvHeader {
  if (fault !== undefined) throw fileFailed(file, faults.notCsv(fault));
  const forms = csvForms(model);
  const properties = [...forms.keys()].filter((property) => !property.startsWith('@'));
  let fix = `the first line names the properties: ${properties.join(syntax.delimiter)}`;
  const other = otherDelimiter(text, fields, model);
  if (other !== undefined) fix = `is the delimiter ${JSON.stringify(other)}? ${fix}`;
  const absent = [...columns.keys()].find((name) => !fields.includes(name));
  if (absent !== undefined)
    throw fileFailed(file, faults.missingColumn(absent, columns.get(absent)));
  const names = fields.map((name) => columns.get(name ?? '') ?? name);
  const duplicate = names.find((name, i) => name !== undefined && names.indexOf(name) !== i);
  if (duplicate !== undefined) throw fileFailed(file, faults.duplicateProperty(duplicate));
  const missing = model.key.names.find((segment) => !names.includes(segment));
  if (missing !== undefined) throw fileFailed(file, faults.missingSegment(missing, fix));
  return names.map((property) => {
    const json = forms.get(property ?? '');
    if (property !== undefined && json !== undefined) return { property, json };
    if (ignoreUnknown) return undefined;
    throw fileFailed(file, faults.unknownProperty(property ?? '', model.name, fix));
  });
}

/** The delimiter that a header of one field probably has. */
function otherDelimiter(
  text: string,
  fields: readonly unknown[],
  model: EntityModel,
): string | undefined {
  if (fields.length > 1 || model.key.names.some((name) => !text.includes(name))) return undefined;
  return [';', '\t', '|', ','].find((each) => text.includes(each));
}

/** The properties in a CSV file of the entity, in order, and whether their fields hold JSON. */
export function csvForms({ key, columns: all }: EntityModel): ReadonlyMap<string, boolean> {
  const columns = all.map((column): [string, boolean] => [
    column.property,
    column.kind === 'columnMap' ||
      column.kind === 'versions' ||
      cellTextForm(column).kind === 'json',
  ]);
  return new Map([
    ...[...(key.scope?.names ?? []), ...key.names].map((name): [string, boolean] => [name, false]),
    ...columns,
    [extras.at, true],
    [extras.older, true],
  ]);
}

function csvLine(
  header: CsvHeader,
  { line, text, fields, fault }: CsvRecord,
  isValidUtf8: boolean,
): Line {
  return {
    number: line,
    text,
    record() {
      if (fault !== undefined) throw new InvalidLine(`the line is not CSV: ${fault}`);
      if (fields.length !== header.length)
        throw new InvalidLine(
          `the line has ${fields.length} fields, and the header ${header.length}`,
        );
      if (!isValidUtf8) assertUtf8(text);
      const record: RowRecord = {};
      header.forEach((column, i) => {
        const field = fields[i];
        if (column === undefined || field === undefined) return;
        const { property, json } = column;
        record[property] = json ? parseField(property, field) : field;
      });
      return record;
    },
  };
}

function parseField(property: string, field: string): unknown {
  try {
    return JSON.parse(field);
  } catch (cause) {
    throw new InvalidLine(`${property}: the field is not JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
}

export type CsvColumns = readonly (readonly [property: string, json: boolean])[];

/** The header of a CSV file, with its line break. */
export function csvHeaderText(columns: CsvColumns, delimiter: string): string {
  return `${columns.map(([property]) => property).join(delimiter)}\n`;
}

/** How CSV is written. */
export interface CsvStyle {
  /** One character between fields. */
  readonly delimiter: string;
  /** Whether fields that a spreadsheet would evaluate begin with an apostrophe. */
  readonly guardFormulas: boolean;
}

/** A record as a line of CSV, with its line break (RFC 4180). */
export function csvText(columns: CsvColumns, record: RowRecord, style: CsvStyle): string {
  let line = '';
  columns.forEach(([property, json], i) => {
    if (i > 0) line += style.delimiter;
    const value = record[property];
    if (value !== undefined && value !== null) line += fieldText(value, json, style);
  });
  return `${line}\n`;
}

function fieldText(value: unknown, json: boolean, style: CsvStyle): string {
  const { delimiter, guardFormulas } = style;
  let field = json || typeof value !== 'string' ? JSON.stringify(value) : value;
  if (guardFormulas && isFormula(field)) field = `'${field}`;
  // An empty text is quoted, to tell it from an absent value.
  const isPlain = field !== '' && !/["\r\n]|^\s|\s$/.test(field) && !field.includes(delimiter);
  if (isPlain) return field;
  return `"${field.replaceAll('"', '""')}"`;
}

/** True for text that spreadsheets evaluate. A negative number is none. */
function isFormula(field: string): boolean {
  return /^[=+\-@\t\r]/.test(field) && !/^-\d+(\.\d+)?(e[+-]?\d+)?$/i.test(field);
}

const faults = {
  lineTooLong: {
    problem: `a line is longer than ${maxLineBytes >> 20} MiB`,
    fix: 'give a file with one row per line',
  },
  emptyFile: {
    problem: 'it is empty and has no header',
    fix: 'give a file with the names of the properties in its first line',
  },
  notCsv: (fault: string) => ({
    problem: `the header is not CSV: ${fault}`,
    fix: 'correct the first line of the file',
  }),
  missingColumn: (absent: string, found: undefined | string) => ({
    problem: `the header does not name '${absent}', which is mapped to '${found}'`,
    fix: 'correct the name of the column',
  }),
  duplicateProperty: (duplicate: string) => ({
    problem: `the header names '${duplicate}' twice`,
    fix: 'name each property once',
  }),
  missingSegment: (missing: string, fix: string) => ({
    problem: `the header does not name '${missing}', a segment of the key`,
    fix,
  }),
  unknownProperty: (property: string, name: string, fix: string) => ({
    problem: `the header names '${property}', which is not a property of ${name}`,
    fix: `${fix}; or ignore unknown names`,
  }),
} satisfies FaultTexts;
