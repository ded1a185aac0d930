/** Chosen mutants: the live engine and the protocol. */

/** @type {readonly import('../select.mjs').Chosen[]} */
export const live = [
  {
    id: 'append-twice',
    file: 'src/engines/bigtable/write/bulk-mutation.ts',
    is: 'notIdempotent.add(ends.length);',
    becomes: 'notIdempotent.add(index);',
    suffers: 'an appending row is repeated in later requests',
    tests: ['test/engines/bigtable/faulty-writes.test.ts'],
  },
  {
    id: 'server-time',
    file: 'src/engines/bigtable/write/idempotent.ts',
    is: 'mutation.timestamp < 0) return false',
    becomes: 'mutation.timestamp < -1) return false',
    suffers: 'a write with the time of the server is repeated',
    tests: ['test/engines/bigtable/idempotent.test.ts'],
  },
  {
    id: 'delete-range-idempotent',
    file: 'src/engines/bigtable/write/idempotent.ts',
    is: 'before.end > timestamp',
    becomes: 'before.end >= timestamp',
    suffers: 'an increment after a delete is repeated',
    tests: ['test/engines/bigtable/idempotent.test.ts'],
  },
  {
    id: 'resume-after-last',
    file: 'src/engines/protocol/read/decode-chunks.ts',
    is: 'return order > 0;',
    becomes: 'return order >= 0;',
    suffers: 'a row is returned twice after a retry',
    tests: ['test/engines/protocol/chunk-reader.test.ts'],
  },
  {
    id: 'stream-pause',
    file: 'src/engines/bigtable/channel/message-stream.ts',
    is: 'if (this.#bytes >= maxBufferedBytes) this.#call.pause();',
    becomes: '',
    suffers: 'a slow reader fills the memory',
    tests: ['test/engines/bigtable/message-stream.test.ts'],
  },
  {
    id: 'filter-depth',
    file: 'src/engines/protocol/filter/decode-filter.ts',
    is: 'if (level > maxFilterDepth)',
    becomes: 'if (level >= maxFilterDepth)',
    suffers: 'a filter of the deepest nesting is refused',
    tests: ['test/engines/protocol/limits.test.ts'],
  },
  {
    id: 'idempotency-window',
    file: 'src/engines/protocol/write/decode-idempotency.ts',
    is: 'Date.now() - started > idempotencyMs',
    becomes: 'Date.now() - started < idempotencyMs',
    suffers: 'a token that is too old is accepted',
    tests: ['test/server/idempotency.test.ts'],
  },
  {
    id: 'rows-limit-zero',
    file: 'src/engines/protocol/read/decode-read-request.ts',
    is: 'if (rowsLimit === 0n ||',
    becomes: 'if (',
    suffers: 'a read without a limit returns nothing',
    tests: ['test/server/data-reads.test.ts'],
  },
];
