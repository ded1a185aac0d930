/**
 * Drawn mutants that change nothing that a user can observe, with the reason. They are not drawn. A line
 * that is edited loses its entry: a test says so.
 */

/** @type {readonly import('./select.mjs').Equivalent[]} */
export const equivalents = [
  {
    file: 'src/tools/studio/page/parts/loaded.ts',
    before: 'delayMs = 0,',
    after: 'delayMs = 1,',
    why: 'A request of the page begins a millisecond later',
  },
  {
    file: 'src/entities/repository/write/bulk-failures.ts',
    before: 'if (this.#kept.length >= 2 * maxFailures) this.#shorten();',
    after: 'if (this.#kept.length >= 3 * maxFailures) this.#shorten();',
    why: 'Failures that will not be returned are forgotten a little later',
  },
  {
    file: 'src/engines/local/kv/levels/table-run.ts',
    before:
      'table.compareBlock(block, low) >= 0 ? 0 : lowerBound(bytes, this.#at, low, 0, low.length);',
    after:
      'table.compareBlock(block, low) > 0 ? 0 : lowerBound(bytes, this.#at, low, 0, low.length);',
    why: 'In a block that begins with the bound, the search for it finds the first pair as well',
  },
  {
    file: 'src/data/key/framing/ordered-framing.ts',
    before: 'if (stop - at > unescaped.length) unescaped = new Uint8Array((stop - at) * 2);',
    after: 'if (stop - at >= unescaped.length) unescaped = new Uint8Array((stop - at) * 2);',
    why: 'A buffer that is just long enough is replaced by a longer one',
  },
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
  {
    file: 'src/engines/local/kv/directory/disk-tuning.ts',
    before: 'signs: { interval: 2000, silent: 20_000, shortSilent: 5000, old: 60_000 },',
    after: 'signs: { interval: 2001, silent: 20_000, shortSilent: 5000, old: 60_000 },',
    why: 'A sign comes a millisecond later, and other processes wait for more than two of them',
  },
  {
    file: 'src/engines/local/table/table-change.ts',
    before: '.sort((a, b) => (a.name < b.name ? -1 : 1))',
    after: '.sort((a, b) => (a.name <= b.name ? -1 : 1))',
    why: 'The names are keys of a map: no two are equal',
  },
  {
    file: 'src/tools/heat/file/recording-bytes.ts',
    before: 'if (samples.length <= cap) return samples;',
    after: 'if (samples.length < cap) return samples;',
    why: 'As many samples as are allowed are thinned by steps of one, which keeps them all',
  },
  {
    file: 'src/engines/local/kv/buffer/sorted-pairs.ts',
    before: 'low = last;',
    after: ';',
    why: 'The search finds the same leaf, from the first one on: some ten comparisons more',
  },
  {
    file: 'src/engines/local/row/record/record-merge.ts',
    before: 'else for (let i = start; i < end; i++) out[position + i - start] = bytes[i];',
    after: 'else for (let i = start; i <= end; i++) out[position + i - start] = bytes[i];',
    why: 'The next cell overwrites the byte, and the last one is outside of the record',
  },
  {
    file: 'src/tools/page/marks.ts',
    before: 'for (let columns = 2; marks.length > maxMarks && columns < 4096; columns *= 2)',
    after: 'for (let columns = 2; marks.length > maxMarks && columns <= 4096; columns *= 2)',
    why: 'A grid has 720 columns: those of 1024 and of 4096 are the same group',
  },
  {
    file: 'src/tools/simulate/population/population.ts',
    before: 'while (rowsAfter(high) < wanted && high < maxWrites) high *= 2;',
    after: 'while (rowsAfter(high) <= wanted && high < maxWrites) high *= 2;',
    why: 'Where it makes a difference, the upper bound is twice as high, and bisection finds the same',
  },
  {
    file: 'src/engines/bigtable/read/read-stream.ts',
    before: 'const defaultPageRows = 256;',
    after: 'const defaultPageRows = 257;',
    why: 'How many rows a page has at most is a matter of speed',
  },
  {
    file: 'src/tools/studio/page/net/client.ts',
    before: "return (await response.json()) as StudioCalls[N]['response'];",
    after: "return ((response.json())) as StudioCalls[N]['response'];",
    why: 'An async function that returns a promise waits for it',
  },
  {
    file: 'src/data/cell/message/closure-decoder.ts',
    before: 'if (tag > 127) {',
    after: 'if (tag >= 127) {',
    why: 'The byte 127 is a whole tag, which readTag reads as well',
  },
  {
    file: 'src/data/cell/message/closure-decoder.ts',
    before: 'if (tag < maxDenseTags) dense[tag] = step;',
    after: 'if (tag <= maxDenseTags) dense[tag] = step;',
    why: 'The array becomes longer by one tag, and is searched by its length',
  },
  {
    file: 'src/engines/local/maintenance/row-sweep.ts',
    before: 'offsetBytes = 0;',
    after: 'offsetBytes = 1;',
    why: 'The first sampled key may be one row later: the engine chooses the distances',
  },
  {
    file: 'src/tools/conformance/history/operations.ts',
    before: 'case 9:',
    after: 'case 10:',
    why: 'Random filters have the same kinds in the same proportions',
  },
  {
    file: 'src/engines/local/read/filter/regex.ts',
    before: 'if (compiledPatterns.size >= maxCompiled) compiledPatterns.delete(oldest);',
    after: 'if (compiledPatterns.size > maxCompiled) compiledPatterns.delete(oldest);',
    why: 'One compiled pattern more is kept',
  },
  {
    file: 'src/server/admin/app-profile-admin.ts',
    before: 'profiles.sort((a, b) => (a.name! < b.name! ? -1 : 1));',
    after: 'profiles.sort((a, b) => (a.name! <= b.name! ? -1 : 1));',
    why: 'No two profiles have the same name',
  },
  {
    file: 'src/tools/simulate/random/draws.ts',
    before: 'if (rank - x <= shortcut || u >= integral(rank + 0.5) - density(rank))',
    after: 'if (rank - x < shortcut || u >= integral(rank + 0.5) - density(rank))',
    why: 'A random number is hardly ever exactly the bound, and then rejected and drawn again',
  },
  {
    file: 'src/data/cell/wire/wire-values.ts',
    before: 'if (length > maxShortUnits) return writeLongText(w, value);',
    after: 'if (length >= maxShortUnits) return writeLongText(w, value);',
    why: 'Both ways write the same bytes',
  },
  {
    file: 'src/entities/model/build/derived/build-indexes.ts',
    before: 'return { ages: [...ages].sort(([a], [b]) => (a < b ? -1 : 1)), all, lasts };',
    after: 'return { ages: [...ages].sort(([a], [b]) => (a <= b ? -1 : 1)), all, lasts };',
    why: 'No family is there twice',
  },
  {
    file: 'src/tools/pull/entity-guess.ts',
    before: 'const maxValues = 500;',
    after: 'const maxValues = 501;',
    why: 'One value more of a sample is looked at',
  },
  {
    file: 'src/data/key/framing/framing.ts',
    before: 'if (length > 0 && stop <= end) {',
    after: 'if (length > 0 && stop < end) {',
    why: 'The last part of a key is decoded again instead of taken from the cache',
  },
  {
    file: 'src/entities/repository/read/rows/hide-expired.ts',
    before: 'if (plain.length > 0)',
    after: 'if (plain.length >= 0)',
    why: 'A filter of no family, beside the filters of the families, passes no cell',
  },
];
