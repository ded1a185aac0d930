/**
 * Drawn mutants that change nothing that a user can observe, with the reason. They are not drawn. A line
 * that is edited loses its entry: a test says so.
 */

/** @type {readonly import('./select.mjs').Equivalent[]} */
export const equivalents = [
  {
    file: 'src/data/cell/wire/wire-values.ts',
    before: 'const reserved = units < 0x80 ? 1 : 2;',
    after: 'const reserved = units <= 0x80 ? 1 : 2;',
    why: 'A text of 128 units takes two bytes for its length, and is then moved by one',
  },
  {
    file: 'src/cli/completion/answer.ts',
    before: 'const answerAfterMs = 450;',
    after: 'const answerAfterMs = 451;',
    why: 'A millisecond more until the shell gets its answer is less than its own variation',
  },
  {
    file: 'src/server/resources/resource-store.ts',
    before: 'this.#tableExists = true;',
    after: ';',
    why: 'The table is created again by each write, which fails with TABLE_EXISTS, and goes on',
  },
  {
    file: 'src/engines/protocol/write/encode-mutate-rows-request.ts',
    before: 'const minSetBytes = 16;',
    after: 'const minSetBytes = 17;',
    why: 'Values of 16 bytes are copied by a loop, a nanosecond slower',
  },
];
