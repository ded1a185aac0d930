/** Tables and families, and the life of an engine. */
import type { CaseGroup, ConformanceCase } from '../case.js';
import { equal, rejects } from '../assert.js';
import { read, set, caseTable, utf8 } from '../rows.js';

const schemas: ConformanceCase = {
  title: 'L2, L3: tables and families',
  changesTable: true,
  async run({ engine }) {
    const families = new Map();
    for (const name of ['', '-a', 'a b', 'x'.repeat(51)])
      await rejects(engine.createTable({ name, families }), 'INVALID_ARGUMENT');
    for (const family of ['', '.a', 'a:b', 'x'.repeat(65)])
      await rejects(
        engine.modifyFamilies(caseTable, [{ kind: 'create', family, schema: {} }]),
        'INVALID_ARGUMENT',
      );
    await rejects(engine.createTable({ name: caseTable, families }), 'TABLE_EXISTS');
    await rejects(engine.deleteTable('nowhere'), 'TABLE_NOT_FOUND');
    await rejects(
      engine.mutateRow('nowhere', { key: utf8('k'), mutations: [set('a', 'q', 'v')] }),
      'TABLE_NOT_FOUND',
    );
    await rejects(
      engine.modifyFamilies(caseTable, [
        { kind: 'create', family: 'new', schema: {} },
        { kind: 'drop', family: 'zz' },
      ]),
      'FAMILY_NOT_FOUND',
    );
    const stored = (await engine.listTables()).find(({ name }) => name === caseTable);
    equal([...(stored?.families.keys() ?? [])], ['a', 'b', 'max', 'min', 'sum']);
  },
};

const recreated: ConformanceCase = {
  title: 'dropped tables and families are empty when created again',
  onService: { relaxed: 'dropped rows may be readable for up to a minute' },
  changesTable: true,
  async run({ engine, put, read: rows, eventually }) {
    await put('k', set('a', 'q', 'v'), set('b', 'q', 'v'));
    await put('only', set('a', 'q', 'v'));
    await engine.modifyFamilies(caseTable, [{ kind: 'drop', family: 'a' }]);
    await engine.modifyFamilies(caseTable, [{ kind: 'create', family: 'a', schema: {} }]);
    await eventually(rows, ['k{b:q@1000=v}']);
    await engine.deleteTable(caseTable);
    await engine.createTable({ name: caseTable, families: new Map([['b', {}]]) });
    await eventually(rows, []);
  },
};

const closedEngine: ConformanceCase = {
  title: 'a closed engine rejects all calls',
  closes: true,
  async run({ engine, put, read: rows }) {
    await engine.close();
    await engine.close();
    await rejects(engine.listTables(), 'DATABASE_CLOSED');
    await rejects(put('k', set('a', 'q', 'v')), 'DATABASE_CLOSED');
    await rejects(rows(), 'DATABASE_CLOSED');
  },
};

const reopened: ConformanceCase = {
  title: 'M1, M2: written data is present after reopening',
  changesTable: true,
  closes: true,
  async run({ engine, put, read: rows, reopen }) {
    if (reopen === undefined) return;
    await engine.modifyFamilies(caseTable, [
      { kind: 'create', family: 'g', schema: { gc: { kind: 'maxVersions', versions: 3 } } },
    ]);
    await put('k', set('a', 'q', 'v'), set('g', 'big', 'x'.repeat(100_000)));
    const before = [await rows(), await engine.listTables()];
    const again = await reopen();
    equal([await read(again), await again.listTables()], before);
  },
};

export const tables: CaseGroup = {
  title: 'Tables and connections',
  cases: [schemas, recreated, closedEngine, reopened],
};
