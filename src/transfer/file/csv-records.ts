/**
 * Comma-separated values (RFC 4180), a piece of text at a time. By hand, because what importing
 * needs is what parsers leave out or make slow: whether a field was quoted (csv-parse tells it to a
 * callback, at 9,000 rows a second), the record as it stands, and records after a broken one.
 */

/** A record. */
export interface CsvRecord {
  /** Number of its first line, from 1. */
  readonly line: number;
  /** As it stands, without its line break. */
  readonly text: string;
  /** Undefined for a field of no characters that is not quoted. */
  readonly fields: readonly (string | undefined)[];
  /** Why it is no record; fields are then of no use. */
  readonly fault: string | undefined;
}

/** Cuts text into records. A quoted field may go on in the next piece. */
export class CsvRecords {
  #rest = '';
  #line = 1;

  /** UTF-16 units that wait for the rest of their record. */
  get waiting(): number {
    return this.#rest.length;
  }

  /**
   * The records that end in this piece; with `last`, what no line break ends is one too. Empty
   * lines are none.
   */
  take(piece: string, last: boolean): CsvRecord[] {
    const text = this.#rest === '' ? piece : this.#rest + piece;
    const records: CsvRecord[] = [];
    let at = 0;
    while (at < text.length) {
      const record = this.#record(text, at, last);
      if (record === undefined) break;
      if (record.text !== '') records.push(record);
      at = record.end;
    }
    this.#rest = text.slice(at);
    return records;
  }

  #record(
    text: string,
    start: number,
    last: boolean,
  ): (CsvRecord & { readonly end: number }) | undefined {
    const fields: (string | undefined)[] = [];
    let stop = text.indexOf('\n', start);
    let at = start;
    for (;;) {
      if (stop < 0 && !last) return undefined;
      const end = stop < 0 ? text.length : stop;
      if (text.charCodeAt(at) === QUOTE) {
        const close = closingQuote(text, at + 1);
        if (close < 0)
          return last
            ? this.#done(text, start, text.length, fields, 'a quote is never closed')
            : undefined;
        // Line breaks inside the quotes do not end the record.
        if (close > end) stop = text.indexOf('\n', close);
        if (stop < 0 && !last) return undefined;
        fields.push(text.slice(at + 1, close).replaceAll('""', '"'));
        at = close + 1;
      } else {
        const comma = text.indexOf(',', at);
        const to = comma < 0 || comma > end ? withoutReturn(text, at, end) : comma;
        const field = text.slice(at, to);
        if (field.includes('"'))
          return this.#done(
            text,
            start,
            stop,
            fields,
            'a quote stands inside a field that is not quoted',
          );
        fields.push(field === '' ? undefined : field);
        at = to;
      }
      const stopped = stop < 0 ? text.length : stop;
      if (at >= withoutReturn(text, at, stopped))
        return this.#done(text, start, stop, fields, undefined);
      if (text.charCodeAt(at) !== COMMA)
        return this.#done(text, start, stop, fields, 'text follows a closing quote');
      at++;
    }
  }

  #done(
    text: string,
    start: number,
    stop: number,
    fields: readonly (string | undefined)[],
    fault: string | undefined,
  ): CsvRecord & { readonly end: number } {
    const end = stop < 0 ? text.length : stop;
    const whole = text.slice(start, withoutReturn(text, start, end));
    const line = this.#line;
    this.#line += 1 + (whole.includes('\n') ? whole.split('\n').length - 1 : 0);
    return { line, text: whole, fields, fault, end: Math.min(end + 1, text.length) };
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const RETURN = 0x0d;

/** The quote that closes a field, doubled ones passed over; -1 where it is not there. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2))
    if (text.charCodeAt(at + 1) !== QUOTE) return at;
  return -1;
}

/** `end`, or the carriage return before it. */
function withoutReturn(text: string, start: number, end: number): number {
  return end > start && text.charCodeAt(end - 1) === RETURN ? end - 1 : end;
}
