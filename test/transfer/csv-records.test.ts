/** Compares our CSV parser with csv-parse, on arbitrary text in arbitrary pieces. */
import { parse } from 'csv-parse/sync';
import { CsvRecords } from '../../src/transfer/file/csv-records.js';
import fc from '../support/fast-check.js';

// Tests are slow on a busy machine.
const runs = Number(process.env.RUNS ?? 300);
const field = fc.string({
  unit: fc.constantFrom('a', 'b', '"', ',', '\n', '\r\n', ' ', 'é', '\u{1F600}'),
  maxLength: 6,
});

/** The records that csv-parse returns; absent fields are empty texts. */
function baseline(text: string): string[][] {
  return parse(text, {
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n'],
  });
}

function read(text: string, cuts: readonly number[]): { fields: string[][]; lines: number[] } {
  const records = new CsvRecords();
  const positions = [
    ...new Set([0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length]),
  ].sort((a, b) => a - b);
  const found = positions
    .slice(1)
    .flatMap((to, i) => records.take(text.slice(positions[i], to), false))
    .concat(records.take('', true));
  expect(found.map(({ fault }) => fault).filter((fault) => fault !== undefined)).toEqual([]);
  return {
    fields: found.map(({ fields }) => fields.map((each) => each ?? '')),
    lines: found.map(({ line }) => line),
  };
}

test('property: both parsers return the records that were written, wherever the text is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.array(fc.nat(80), { maxLength: 4 }),
      fc.infiniteStream(fc.boolean()),
      (rows, eol, ends, cuts, quoted) => {
        const next = (): boolean => quoted.next().value as boolean;
        const written = rows.map((row) =>
          row
            .map((each) =>
              /[",\r\n]/.test(each) || row.length === 1 || next()
                ? `"${each.replaceAll('"', '""')}"`
                : each,
            )
            .join(','),
        );
        const text = written.join(eol) + (ends ? eol : '');
        const { fields, lines } = read(text, cuts);
        expect(fields).toEqual(rows);
        expect(fields).toEqual(baseline(text));
        // The number of a record is that of its first line.
        written.reduce((line, record, i) => {
          expect(lines[i]).toBe(line);
          return line + record.split('\n').length;
        }, 1);
      },
    ),
    { numRuns: runs },
  );
});

test('absent and empty fields differ, and malformed records do not affect others', () => {
  const records = new CsvRecords().take('a,,""\n"x"y,1\n\nb"c,2\nd,3\n"open,4\n', true);
  expect(records.map(({ line, fields, fault }) => [line, fault ?? fields])).toEqual([
    [1, ['a', undefined, '']],
    [2, 'text after a closing quote'],
    [4, 'a quote in a field without quotes'],
    [5, ['d', '3']],
    [6, 'a quote is not closed'],
  ]);
});
