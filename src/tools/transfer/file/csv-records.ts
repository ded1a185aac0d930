/**
 * An incremental parser of comma-separated values (RFC 4180). Written for imports, which need what
 * libraries lack or do slowly: whether a field was quoted (csv-parse reports it to a callback, at
 * 9,000 rows a second), the text of each record, and the records after a malformed one.
 */

/** A record, well-formed or not. */
export interface CsvRecord {
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Its text without the line break at the end. */
  readonly text: string;
  /** Undefined for an empty field without quotes. */
  readonly fields: readonly (string | undefined)[];
  /** What is malformed, in which case `fields` is incomplete; undefined if nothing is. */
  readonly fault: string | undefined;
}

interface ParsedRecord extends CsvRecord {
  /** Position after the record and its line break. */
  readonly end: number;
}

const quote = 0x22;
const carriageReturn = 0x0d;

/** How records are separated. */
export interface CsvSyntax {
  /** The character between fields. */
  readonly delimiter: string;
  /**
   * Maximum length in UTF-16 units of a record that spans several lines. A longer one is malformed:
   * its quote was probably never closed, and would take the rest of the file.
   */
  readonly maxRecordLength: number;
}

/** The syntax by default. */
export const defaultCsvSyntax: CsvSyntax = { delimiter: ',', maxRecordLength: 1 << 20 };

/**
 * Splits text into records. A quoted field may continue in the next piece of text. After a quote
 * that is not closed, the next line is read as a new record.
 */
export class CsvRecords {
  readonly #delimiter: string;
  readonly #maxRecordLength: number;
  #rest = '';
  #line = 1;

  constructor({ delimiter, maxRecordLength }: CsvSyntax = defaultCsvSyntax) {
    this.#delimiter = delimiter;
    this.#maxRecordLength = maxRecordLength;
  }

  /**
   * Returns the records that end in this piece; if it is the `last` one, also a record without a
   * line break. Empty lines are skipped.
   */
  take(piece: string, last: boolean): CsvRecord[] {
    const text = this.#rest === '' ? piece : this.#rest + piece;
    const records: CsvRecord[] = [];
    let start = 0;
    while (start < text.length) {
      const record = this.#parse(text, start, last);
      if (record === undefined) break;
      if (record.text !== '') records.push(record);
      start = record.end;
    }
    this.#rest = text.slice(start);
    return records;
  }

  /** Parses the record at `start`; undefined if its end is not in the text. */
  #parse(text: string, start: number, last: boolean): ParsedRecord | undefined {
    const fields: (string | undefined)[] = [];
    let lineEnd = endOfLine(text, start, last);
    let position = start;
    for (;;) {
      if (lineEnd < 0) return undefined;
      if (text.charCodeAt(position) === quote) {
        const close = closingQuote(text, position + 1);
        const isTooLong =
          (close < 0 ? text.length : close) - start > this.#maxRecordLength &&
          (close < 0 || close > lineEnd);
        if (isTooLong || (close < 0 && last)) {
          const bound = isTooLong ? ` within ${this.#maxRecordLength} characters` : '';
          const fault = this.#unclosed(text, start, position, bound);
          return this.#finish(text, start, lineEnd, fields, fault);
        }
        if (close < 0) return undefined;
        // Line breaks inside the quotes do not end the record.
        if (close > lineEnd) {
          const next = text[close + 1] ?? '';
          // Another field's quote was taken for the closing one.
          if (next !== '' && next !== '\r' && next !== '\n' && next !== this.#delimiter)
            return this.#finish(
              text,
              start,
              lineEnd,
              fields,
              this.#unclosed(text, start, position, ' before other text'),
            );
          lineEnd = endOfLine(text, close, last);
        }
        if (lineEnd < 0) return undefined;
        fields.push(text.slice(position + 1, close).replaceAll('""', '"'));
        position = close + 1;
      } else {
        const end = endOfField(text, position, lineEnd, this.#delimiter);
        const field = text.slice(position, end);
        if (field.includes('"'))
          return this.#finish(text, start, lineEnd, fields, 'a quote in a field without quotes');
        fields.push(field === '' ? undefined : field);
        position = end;
      }
      if (position >= trimReturn(text, position, lineEnd))
        return this.#finish(text, start, lineEnd, fields, undefined);
      if (text[position] !== this.#delimiter)
        return this.#finish(text, start, lineEnd, fields, 'text after a closing quote');
      position++;
    }
  }

  #unclosed(text: string, start: number, position: number, where: string): string {
    const line = this.#line + lineBreaks(text.slice(start, position));
    return (
      `the quote opened in line ${line} is not closed${where}; ` +
      `the next record is read from line ${line + 1}`
    );
  }

  #finish(
    text: string,
    start: number,
    lineEnd: number,
    fields: readonly (string | undefined)[],
    fault: string | undefined,
  ): ParsedRecord {
    const record = text.slice(start, trimReturn(text, start, lineEnd));
    const line = this.#line;
    this.#line += lineBreaks(record) + 1;
    return { line, text: record, fields, fault, end: Math.min(lineEnd + 1, text.length) };
  }
}

function lineBreaks(text: string): number {
  if (!text.includes('\n')) return 0;
  return text.split('\n').length - 1;
}

/**
 * Position of the next line break; in the last piece the end of the text counts as one. Else -1.
 */
function endOfLine(text: string, from: number, last: boolean): number {
  const position = text.indexOf('\n', from);
  if (position < 0 && last) return text.length;
  return position;
}

/**
 * Position of the quote that closes a field, doubled quotes skipped; -1 if it is not in the text.
 */
function closingQuote(text: string, from: number): number {
  for (let i = text.indexOf('"', from); i >= 0; i = text.indexOf('"', i + 2))
    if (text.charCodeAt(i + 1) !== quote) return i;
  return -1;
}

/** Position of the next delimiter in the line, or the end of the line. */
function endOfField(text: string, from: number, lineEnd: number, delimiter: string): number {
  const position = text.indexOf(delimiter, from);
  if (position >= 0 && position <= lineEnd) return position;
  return trimReturn(text, from, lineEnd);
}

/** `end`, or the position of a carriage return before it. */
function trimReturn(text: string, start: number, end: number): number {
  if (end > start && text.charCodeAt(end - 1) === carriageReturn) return end - 1;
  return end;
}
