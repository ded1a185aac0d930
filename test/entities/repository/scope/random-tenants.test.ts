/** scope.deleteAll() with random layouts: the tenant is gone, and nothing else is changed. */
import type { Database, EntityClass } from '../../../../src/index.js';
import { everyKey, latin1Text, toHex } from '../../../../src/base/index.js';
import {
  type EntityModel,
  scopedModel,
  type ScopeValues,
} from '../../../../src/entities/model/index.js';
import { collectRows } from '../../../../src/data/store/index.js';
import fc from '../../../support/fast-check.js';
import { type BackEnd, backEnds } from '../support/back-ends.js';
import { layout, rows as randomRows, scope as randomScope, type Values } from './random-layouts.js';

interface Loose {
  readonly model: EntityModel;
  create(init: object): object;
  saveMany(entities: readonly object[]): Promise<{ failures: readonly { error: unknown }[] }>;
  scanAll(): { all(): Promise<Values[]> };
}
const repositoryOf = (db: Database, entity: EntityClass): Loose => db.repository(entity);

/** Saves what each entity can hold of the values. */
async function fill(db: Database, entities: readonly EntityClass[], rows: readonly Values[]) {
  for (const entity of entities) {
    const repository = repositoryOf(db, entity);
    const { segments, columns } = repository.model;
    const names = [...segments, ...columns].map(({ property }) => property);
    const made = rows.flatMap((values) => {
      const known = Object.entries(values).filter(
        ([name, value]) => names.includes(name) && value !== undefined,
      );
      // Copies are written by themselves.
      const init = known.filter(([name]) => name !== 'name' || repository.model.name === 'Source');
      try {
        return [repository.create(Object.fromEntries(init))];
      } catch (error) {
        if ((error as { code?: string }).code === 'INVALID_KEY') return [];
        throw error;
      }
    });
    const keys = new Set<string>();
    const once = made.filter((each) => {
      const key = toHex(repository.model.key.encode(each as never));
      if (keys.has(key)) return false;
      return keys.add(key);
    });
    const { failures } = await repository.saveMany(once);
    for (const { error } of failures)
      if ((error as { code?: string }).code !== 'EMPTY_ROW') throw error as Error;
  }
}

/** Rows that no entity declares, with keys like the tenant's. */
async function addForeign(db: Database, models: readonly EntityModel[]): Promise<void> {
  const own = ['acme#', 'acme#\x02', 'acme#d#\x02\x02', 'acme\0\x01\x02\0\x03', 'acme!', 'acmf'];
  // In one shard only, so that the ranges of the other shards can be dropped.
  const texts = [...own, '1#acme#\x02', '1\0\x01acme\0\x01\x02\0\x03', '1#a#\x02', '1#b#\x02'];
  for (const table of new Set(models.map((model) => model.table.name)))
    for (const text of texts) {
      const key = Buffer.from(text, 'latin1');
      const here = models.filter((model) => model.table.name === table);
      if (here.some(({ key: codec }) => codec.decoder()(key, 0, key.length, {}))) continue;
      const value = Buffer.from('foreign');
      const cell = { kind: 'setCell', family: 'm', qualifier: value, timestamp: 0, value } as const;
      await db.engine.mutateRow(table, { key, mutations: [cell] });
    }
}

/** Cells by table and row. Copies, versions and tokens are looked at otherwise. */
async function dump(db: Database): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { name } of await db.engine.listTables()) {
    const plan = { table: name, ranges: [everyKey], reversed: false };
    for (const { key, cells } of await collectRows(db.engine.readRows(plan))) {
      const kept = cells.filter(({ family }) => !['_v', '_t', '_r', 'k'].includes(family));
      const text = kept.map(
        (cell) => `${cell.family}:${toHex(cell.qualifier)}=${toHex(cell.value)}@${cell.timestamp}`,
      );
      if (kept.length > 0) found.set(`${name} ${latin1Text(key)}`, text.join(' '));
    }
  }
  return found;
}

/** Whether a row is in the scope, by the values of its segments. */
function isInside({ key, segments }: EntityModel, scope: ScopeValues, row: object): boolean {
  const names = Object.keys(scope);
  if (!key.names.slice(0, names.length).every((name) => names.includes(name))) return false;
  if (key.names.length < names.length) return false;
  return names.every((name) => {
    const { type } = segments.find(({ property }) => property === name)!;
    const isFolded = 'lower' in type && type.lower === true;
    const value = scope[name];
    const given = isFolded && typeof value === 'string' ? value.toLowerCase() : value;
    const stored = (row as Record<string, unknown>)[name];
    return stored instanceof Date ? +stored === +(given as Date) : stored === given;
  });
}

const beginsWith = (model: EntityModel, scope: ScopeValues): boolean => {
  const names = Object.keys(scope);
  const leading = model.key.names.slice(0, names.length);
  return leading.length === names.length && leading.every((name) => names.includes(name));
};

/** The rows of all entities that are in the scope, or are not. */
async function entitiesOf(
  db: Database,
  entities: readonly EntityClass[],
  takes: (model: EntityModel, row: Values) => boolean,
): Promise<Map<EntityModel, Values[]>> {
  const found = new Map<EntityModel, Values[]>();
  for (const entity of entities) {
    const repository = repositoryOf(db, entity);
    const all = await repository.scanAll().all();
    found.set(
      repository.model,
      all.filter((row) => takes(repository.model, row)),
    );
  }
  return found;
}

/** Keys of stored rows, of a model that begins with the segments of the scope. */
async function storedInScope(
  db: Database,
  model: EntityModel,
  scope: ScopeValues,
): Promise<string[]> {
  let ranges;
  try {
    ({ ranges } = scopedModel(model, scope, { wholeKey: true }).key.scope!);
  } catch {
    return [];
  }
  const plan = { table: model.table.name, ranges, reversed: false };
  const rows = await collectRows(db.engine.readRows(plan));
  const decode = model.key.decoder();
  return rows
    .filter(({ key }) => decode(key, 0, key.length, {}))
    .map(({ key }) => `${model.table.name} ${latin1Text(key)}`);
}

/** The stored rows of derived data that begin with the segments of the scope. */
async function derivedInScope(
  db: Database,
  models: readonly EntityModel[],
  scope: ScopeValues,
): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const model of models) {
    if (!beginsWith(model, scope)) continue;
    const derived = [
      ...model.indexes.map(({ entry }) => entry),
      ...model.rollups.filter(({ time }) => !(time in scope)).map(({ rows }) => rows),
      ...(model.copiedBy === undefined ? [] : [model.copiedBy.mark]),
    ];
    for (const each of derived)
      if (beginsWith(each, scope))
        for (const key of await storedInScope(db, each, scope)) keys.add(key);
  }
  return keys;
}

describe.each(backEnds)('on $name', ({ name, open }: BackEnd) => {
  const cases = Number(process.env.RUNS ?? { memory: 8, disk: 5 }[name] ?? 2);
  test('the rows of the scope are gone, and all other rows are as they were', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        layout,
        randomRows,
        randomScope,
        fc.boolean(),
        fc.constantFrom('awaited', 'manual'),
        async ({ entities, text }, rows, scope, hasForeign, mode) => {
          const { db, close } = await open(entities, { copies: mode });
          try {
            await fill(db, entities, rows);
            const models = entities.map((entity) => repositoryOf(db, entity).model);
            if (hasForeign) await addForeign(db, models);
            await leave(db, entities, scope, seen, mode);
          } catch (error) {
            (error as Error).message += `\n${text}`;
            throw error;
          } finally {
            await close();
          }
        },
      ),
      { numRuns: cases },
    );
    // Each way was taken, or the property says little; a slice of a campaign draws too few cases.
    // 'both' is rare: delete-all.test.ts has it.
    const usual = ['follows', 'ranges', 'rows'];
    if (cases >= 60) expect([...seen]).toEqual(expect.arrayContaining(usual));
  });
});

async function leave(
  db: Database,
  entities: readonly EntityClass[],
  scope: ScopeValues,
  seen: Set<string>,
  mode: string,
): Promise<void> {
  const models = entities.map((entity) => repositoryOf(db, entity).model);
  const before = await dump(db);
  const inside = await entitiesOf(db, entities, (model, row) => isInside(model, scope, row));
  const outside = await entitiesOf(db, entities, (model, row) => !isInside(model, scope, row));
  const gone = await derivedInScope(db, models, scope);
  const tenant = db.scope(scope as never);
  if (!models.some((model) => beginsWith(model, scope))) {
    await expect(tenant.deleteAll()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    return;
  }

  const planned = await tenant.deleteAll({ dryRun: true });
  expect(await dump(db)).toEqual(before);
  for (const [model, list] of inside) {
    const part = planned.parts.find((each) => each.kind === 'rows' && each.entity === model.name);
    expect([model.name, part?.rows ?? 0]).toEqual([model.name, list.length]);
  }
  const report = await tenant.deleteAll();
  expect(report).toEqual(planned);
  for (const { how } of report.parts) seen.add(how);

  // Copies of rows that are gone are cleared, wherever they are.
  const sources = [...inside].find(([{ name }]) => name === 'Source')?.[1] ?? [];
  for (const [{ name }, list] of outside)
    for (const row of list) {
      const owner = name === 'Across' ? row.partner : row.tenant;
      const isGone = sources.some((each) => each.tenant === owner && each.device === row.place);
      if (['Across', 'Inside'].includes(name) && isGone) row.name = undefined;
    }
  expect(await entitiesOf(db, entities, () => true)).toEqual(outside);

  // What is stored besides: rows of entities by their keys, and all that follows from them.
  for (const [model, list] of inside)
    for (const row of list)
      gone.add(`${model.table.name} ${latin1Text(model.key.encode(row as never))}`);
  const after = await dump(db);
  const follows = followingTables(models, scope);
  const isKept = (key: string): boolean => !follows.has(key.slice(0, key.indexOf(' ')));
  const expected = [...before].filter(([key]) => isKept(key) && !gone.has(key));
  expect([...after].filter(([key]) => isKept(key))).toEqual(expected);
  for (const key of gone) expect(after.has(key)).toBe(false);

  // Entries and rollups that follow are right.
  for (const entity of entities) {
    const { indexes, rollups } = repositoryOf(db, entity).model;
    if (indexes.length + rollups.length === 0) continue;
    const found = await db.derived.verify(entity);
    const faults = found.findings.filter(({ kind }) => mode === 'awaited' || kind !== 'stale copy');
    expect(faults).toEqual([]);
    const { missing = 0, orphan = 0, wrong = 0 } = found.rollups ?? {};
    expect({ missing, orphan, wrong }).toEqual({ missing: 0, orphan: 0, wrong: 0 });
  }
  const again = await tenant.deleteAll();
  for (const { kind, how, rows } of again.parts) expect([kind, how, rows]).toEqual([kind, how, 0]);
}

/** Tables of entries and rollups that do not begin with the scope, which verify() looks at. */
function followingTables(models: readonly EntityModel[], scope: ScopeValues): Set<string> {
  const derived = models
    .filter((model) => beginsWith(model, scope))
    .flatMap(({ indexes, rollups }) => [
      ...indexes.map(({ entry }) => entry),
      ...rollups.map(({ rows }) => rows),
    ]);
  const following = derived.filter((model) => !beginsWith(model, scope) || 'at' in scope);
  return new Set(following.map(({ table }) => table.name));
}
