/** Chosen mutants: import, export and migration. */

/** @type {readonly import('../select.mjs').Chosen[]} */
export const transfer = [
  {
    id: 'import-settle',
    file: 'src/tools/transfer/import/import.ts',
    is: 'await this.#send(); await this.#settle(0); this.#rejects?.sync();',
    becomes: 'await this.#send(); this.#rejects?.sync();',
    suffers: 'an import resumes past lines that were never written',
    tests: ['test/tools/transfer/import-order.test.ts'],
  },
  {
    id: 'import-overlap',
    file: 'src/tools/transfer/import/import.ts',
    is: 'if (this.#sending.some((earlier) => earlier.batch.overlaps(batch))) await this.#settle(0);',
    becomes: '',
    suffers: 'the last line of a key does not win',
    tests: ['test/tools/transfer/import-order.test.ts'],
  },
  {
    id: 'import-row-mutations',
    file: 'src/tools/transfer/import/import-batch.ts',
    is: 'this.#rowMutations = Math.max(this.#rowMutations, mutations.length);',
    becomes: '',
    suffers: 'a batch has more than 100,000 mutations of a row',
    tests: ['test/tools/transfer/import-order.test.ts'],
  },
  {
    id: 'import-time-zero',
    file: 'src/tools/transfer/import/column-reader.ts',
    is: 'if (at.getTime() < 0)',
    becomes: 'if (at.getTime() <= 0)',
    suffers: 'a cell of 1970 is refused',
    tests: ['test/tools/transfer/round-trip.test.ts'],
  },
  {
    id: 'csv-carriage-return',
    file: 'src/tools/transfer/file/csv-records.ts',
    is: 'end > start && text.charCodeAt(end - 1) === carriageReturn',
    becomes: 'end > start + 1 && text.charCodeAt(end - 1) === carriageReturn',
    suffers: 'an empty line with CRLF is a record',
    tests: ['test/tools/transfer/csv-records.test.ts'],
  },
  {
    id: 'csv-last-quote',
    file: 'src/tools/transfer/file/csv-records.ts',
    is: 'close < 0 && last',
    becomes: 'close < 0 && !last',
    suffers: 'a record over two chunks is refused',
    tests: ['test/tools/transfer/csv-records.test.ts'],
  },
  {
    id: 'export-tail',
    file: 'src/tools/transfer/export/export-target.ts',
    is: '=== tail) return handle;',
    becomes: "!== '') return handle;",
    suffers: 'an export resumes in a file of another',
    tests: ['test/tools/transfer/export-resume.test.ts'],
  },
  {
    id: 'csv-delimiter',
    file: 'src/tools/transfer/file/line-reader.ts',
    is: 'if (i > 0) line += style.delimiter;',
    becomes: 'if (i > 1) line += style.delimiter;',
    suffers: 'two fields are one',
    tests: ['test/tools/transfer/guard-formulas.test.ts'],
  },
];
