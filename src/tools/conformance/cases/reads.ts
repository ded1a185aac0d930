/** Reads: order, ranges, limits, pages, sampled keys. */
import {
  compareBytes,
  everyKey,
  fromHex,
  latin1Text,
  pointRange,
  prefixRange,
  toHex,
} from '../../../base/index.js';
import type { ReadPlan } from '../../../data/store/index.js';
import type { CaseGroup, ConformanceCase } from '../case.js';
import { Difference, equal, rejects } from '../assert.js';
import { set, caseTable, utf8, withSortedFamilies } from '../rows.js';

const anyFamilyOrder = {
  relaxed:
    'families may come in any order: the API guarantees only that the cells of each are contiguous',
} as const;

const order: ConformanceCase = {
  title: 'E1, M4: rows and columns are in byte order, families in the order of their creation',
  onService: anyFamilyOrder,
  changesTable: true,
  async run({ engine, rows, isService }) {
    await engine.modifyFamilies(caseTable, [{ kind: 'create', family: 'Z', schema: {} }]);
    const keys = ['00', '0000', '61', '6100', '617c', '6161', 'ff', 'ff00', 'ffff'].map((key) =>
      fromHex(key)!,
    );
    await engine.mutateRows(
      caseTable,
      keys.toReversed().map((key) => ({
        key,
        mutations: [
          set('b', 'q', 'v'),
          set('a', 'é', 'v'),
          set('a', 'q', 'o'),
          set('a', 'q', 'n', 2000),
          set('Z', 'q', 'v'),
        ],
      })),
    );
    const found = await rows();
    equal(
      found.map(({ key }) => toHex(key)),
      keys.toSorted(compareBytes).map(toHex),
    );
    const cellsOf = ([row]: typeof found): string[] =>
      row.cells.map(
        ({ family, qualifier, timestamp }) =>
          `${family}:${Buffer.from(qualifier).toString()}@${timestamp}`,
      );
    const ofFirst = ['a:q@2000', 'a:q@1000', 'a:é@1000', 'b:q@1000', 'Z:q@1000'];
    const sorted = [...ofFirst.slice(-1), ...ofFirst.slice(0, -1)];
    if (isService) equal(cellsOf(withSortedFamilies(found)), sorted);
    else equal(cellsOf(found), ofFirst);
    const changed = await engine.readModifyWriteRow(
      caseTable,
      utf8('k'),
      ['Z', 'b', 'a'].map((family) => ({
        kind: 'append' as const,
        family,
        qualifier: utf8('q'),
        value: utf8('v'),
      })),
    );
    const families = changed.cells.map(({ family }) => family);
    if (isService) equal(families.sort(), ['Z', 'a', 'b']);
    else equal(families, ['a', 'b', 'Z']);
  },
};

const ranges: ConformanceCase = {
  title: 'E3, E4, E5: ranges, limits and reversed reads',
  async run({ put, read }) {
    for (const key of ['r1', 'r2', 'r3', 'r4', 'r5'])
      await put(key, set('a', 'q', key), set('a', 'q', 'old', 0));
    const keys = async (plan: Partial<ReadPlan>, pageRows?: number) =>
      (await read(plan, pageRows)).map((row) => row.slice(0, 2)).join(' ');
    const two = [{ start: utf8('r2'), end: utf8('r4') }, pointRange(utf8('r5'))];
    equal(await keys({ ranges: [] }), '');
    equal(await keys({ ranges: two }), 'r2 r3 r5');
    equal(await keys({ ranges: two, reversed: true }, 1), 'r5 r3 r2');
    equal(await keys({ reversed: true, limit: 2 }), 'r5 r4');
    equal(await keys({ ranges: [prefixRange(utf8('r'))], limit: 3 }, 2), 'r1 r2 r3');
    equal(await keys({ limit: 1, filter: { kind: 'valueEquals', value: utf8('r4') } }), 'r4');
    equal((await read({ reversed: true, limit: 1 }))[0], 'r5{a:q@1000=r5 a:q@0=old}');
    for (const limit of [0, -1, 1.5]) await rejects(read({ limit }), 'INVALID_ARGUMENT');
  },
};

const pages: ConformanceCase = {
  title: 'a read returns page by page, may be abandoned at any time, and obeys its signal',
  onService: { relaxed: 'a page may have fewer rows than asked for: those that have arrived' },
  async run({ engine, isService }) {
    const keys = Array.from({ length: 10 }, (_, at) => `r${at}`);
    await engine.mutateRows(
      caseTable,
      keys.map((key) => ({ key: utf8(key), mutations: [set('a', 'q', 'v')] })),
    );
    const plan = { table: caseTable, ranges: [everyKey], reversed: false };
    const abandoned = engine.readRows(plan, { pageRows: 4 });
    const page = await abandoned.next();
    equal(page!.nextRow(), true);
    const rest: string[] = [];
    for (let next = await abandoned.next(); next !== undefined; next = await abandoned.next())
      while (next.nextRow()) rest.push(latin1Text(next.keyBytes.slice(next.keyStart, next.keyEnd)));
    const first = isService ? Math.min(4, Math.max(1, keys.length - rest.length)) : 4;
    equal(rest, keys.slice(first));
    const closed = engine.readRows(plan);
    await closed.next();
    await closed.close();
    await closed.close();
    equal(await closed.next(), undefined);
    const abort = new AbortController();
    const aborted = engine.readRows(plan, { pageRows: 1, signal: abort.signal });
    await aborted.next();
    abort.abort(new Error('enough'));
    const outcome = await aborted.next().then(
      () => 'a page',
      (error: unknown) => String(error),
    );
    if (outcome !== 'Error: enough')
      throw new Difference('a rejection with the reason of the signal', outcome);
  },
};

const interleavedReads: ConformanceCase = {
  title: 'two reads may be interleaved, and a row stays valid while other rows are read',
  async run({ engine }) {
    await engine.mutateRows(
      caseTable,
      Array.from({ length: 20 }, (_, at) => ({
        key: utf8(`r${at + 10}`),
        mutations: [set('a', 'q', `v${at + 10}`), set('a', 'r', 'x')],
      })),
    );
    const streams = [false, true].map((reversed) =>
      engine.readRows({ table: caseTable, ranges: [everyKey], reversed }),
    );
    const [up, down] = await Promise.all(streams.map((stream) => stream.next()));
    const slice = (bytes: Uint8Array, start: number, end: number) =>
      latin1Text(Uint8Array.from({ length: end - start }, (_, i) => bytes[start + i]));
    let at = 10;
    // Until the end of the shorter first page: over a network, a page holds what has arrived.
    for (; at < 30 && up!.nextRow() && down!.nextRow(); at++) {
      equal([up!.nextCell(), down!.nextCell()], [true, true]);
      for (const [page, n] of [
        [up!, at],
        [down!, 39 - at],
      ] as const)
        equal(
          [
            slice(page.keyBytes, page.keyStart, page.keyEnd),
            slice(page.valueBytes, page.valueStart, page.valueEnd),
          ],
          [`r${n}`, `v${n}`],
        );
      equal([up!.nextCell(), up!.nextCell(), up!.family], [true, false, 'a']);
    }
    equal(at > 10, true);
    for (const stream of streams) await stream.close();
  },
};

const sampledEnd: ConformanceCase = {
  title: 'sampled keys end with the empty key',
  async run({ engine }) {
    const samples = await engine.sampleRowKeys(caseTable);
    equal(samples.at(-1)?.key.length, 0);
  },
};

const sampledSplits: ConformanceCase = {
  title: 'E7: sampled keys begin with the split keys',
  onService: { relaxed: 'sizes of sections are not compared: they are estimates, and lag behind' },
  async run({ engine, isService }) {
    const split = 'split';
    const splitKeys = ['m', 'c', 'm'].map(utf8);
    const sampled = async () => {
      const samples = await engine.sampleRowKeys(split);
      equal(
        samples.map(({ key }) => latin1Text(key)),
        ['c', 'm', ''],
      );
      return samples.map(({ offsetBytes }) => Math.round(offsetBytes / 1000));
    };
    await engine.createTable({ name: split, families: new Map([['a', {}]]), splitKeys });
    await sampled();
    for (const key of ['b', 'c', 'd', 'x'])
      await engine.mutateRow(split, {
        key: utf8(key),
        mutations: [set('a', 'q', key.repeat(1000))],
      });
    const sizes = await sampled();
    if (!isService) equal(sizes, [1, 3, 4]);
  },
};

export const reads: CaseGroup = {
  title: 'Reads',
  cases: [order, ranges, pages, interleavedReads, sampledEnd, sampledSplits],
};
