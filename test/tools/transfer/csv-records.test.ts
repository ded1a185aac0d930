/** Compares our CSV parser with csv-parse, on arbitrary text in arbitrary pieces. */
import { parse } from 'csv-parse/sync';
import { CsvRecords } from '../../../src/tools/transfer/file/csv-records.js';
import fc from '../../support/fast-check.js';

// Tests are slow on a busy machine.
const runs = Number(process.env.RUNS ?? 100);
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
        // The number of a record is the number of its first line.
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
    [6, 'the quote opened in line 6 is not closed; the next record is read from line 7'],
  ]);
});

describe('a quote that is not closed', () => {
  const brief = (text: string, pieces: number, maxRecordLength = 1000) => {
    const records = new CsvRecords({ delimiter: ',', maxRecordLength });
    const size = Math.ceil(text.length / pieces);
    const found = Array.from({ length: pieces }, (_, i) =>
      records.take(text.slice(i * size, (i + 1) * size), i === pieces - 1),
    ).flat();
    return found.map(({ line, fault, fields, text: shown }) => [line, fault ?? fields, shown]);
  };
  const rows = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => `r${from + i},1\n`).join('');
  const parsed = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => [
      from + i,
      [`r${from + i}`, '1'],
      `r${from + i},1`,
    ]);

  test.each([1, 2, 7, 200])('in %i pieces, rejects its line only', (pieces) => {
    const text = `r1,1\nr2,"open,1\n${rows(3, 500)}`;
    expect(brief(text, pieces)).toEqual([
      ...parsed(1, 2),
      [
        2,
        'the quote opened in line 2 is not closed within 1000 characters; the next record is read from line 3',
        'r2,"open,1',
      ],
      ...parsed(3, 500),
    ]);
  });

  test('at the end of the file', () => {
    expect(brief('r1,1\nr2,"open\nr3,1\n', 1)).toEqual([
      ...parsed(1, 2),
      [
        2,
        'the quote opened in line 2 is not closed; the next record is read from line 3',
        'r2,"open',
      ],
      ...parsed(3, 4),
    ]);
  });

  test('before a quote of another line, in a record that began lines before', () => {
    expect(brief('"a\nb","open\r\nr3,"1"\nr4,1\n', 1)).toEqual([
      [
        1,
        'the quote opened in line 2 is not closed before other text; the next record is read from line 3',
        '"a\nb","open',
      ],
      [3, ['r3', '1'], 'r3,"1"'],
      ...parsed(4, 5),
    ]);
  });

  test('records of several lines up to the maximum, and long ones of one line, are read', () => {
    const lines = 'x\n'.repeat(490);
    expect(brief(`"${lines}",1\n`, 3)).toHaveLength(1);
    const long = 'y'.repeat(5000);
    expect(brief(`"${long}",1\n`, 3)).toEqual([[1, [long, '1'], `"${long}",1`]]);
  });
});

test('other delimiters', () => {
  const records = new CsvRecords({ delimiter: '\t', maxRecordLength: 100 });
  expect(records.take('a,b\t"c\td"\t\n', true).map(({ fields }) => fields)).toEqual([
    ['a,b', 'c\td', undefined],
  ]);
});
