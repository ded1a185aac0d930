/** Rows of tenants, and every call of a repository, for the suites of scopes. */
import {
  accessPatterns,
  Column,
  ColumnMap,
  Counter,
  type Database,
  Entity,
  indexOn,
  indexes,
  literal,
  Revision,
  rowKey,
  Segment,
  table,
} from '../../../../src/index.js';

export const patterns = accessPatterns({
  ofTenant: { prefix: ['tenant'] },
  ofDevice: { prefix: ['tenant', 'device'], since: 'n' },
  notes: { prefix: ['tenant'], select: ['tenant', 'note'], limit: 2 },
  tenants: { since: 'tenant' },
});

export const families = { m: {}, c: {}, t: {} };
export const byValue = indexes({ byValue: indexOn('tenant', 'value') });

/** The columns of all entities. */
export class Row {
  static readonly patterns = patterns;
  tenant!: string;
  @Segment('string', { minLength: 0 }) device!: string;
  n!: number;
  @Column('m', 'double') value?: number;
  @Column('m', 'string') note?: string;
  @Counter('c') hits?: bigint;
  @ColumnMap('t', 'int64') counts?: Map<string, bigint>;
  revision?: string;
}

@Entity({ table: table('mixed', { families }) })
export class Plain extends Row {
  static readonly key = rowKey(literal('p'), 'tenant', literal('d'), 'device', 'n');
  static readonly indexes = byValue;
  @Segment('string', { minLength: 0 }) declare tenant: string;
  @Segment('int', { width: 3 }) declare n: number;
}

@Entity({ table: 'folded', families })
export class Folded extends Row {
  static readonly key = rowKey('tenant', 'device', 'n');
  static readonly indexes = byValue;
  @Segment('string', { lower: true, minLength: 0 }) declare tenant: string;
  @Segment('int', { width: 3, order: 'desc' }) declare n: number;
  @Revision('m') declare revision?: string;
}

@Entity({ table: 'by_device', families, shards: { count: 5, by: ['device'] } })
export class ByDevice extends Row {
  static readonly key = rowKey('tenant', 'device', 'n');
  static readonly indexes = byValue;
  @Segment('string', { minLength: 0 }) declare tenant: string;
  @Segment('int', { width: 3 }) declare n: number;
}

@Entity({
  table: 'by_tenant',
  families,
  keyFormat: 'ordered',
  shards: { count: 3, by: ['tenant'] },
})
export class ByTenant extends Row {
  static readonly key = rowKey('tenant', 'device', 'n');
  static readonly indexes = byValue;
  @Segment('string', { minLength: 0 }) declare tenant: string;
  @Segment('int', { width: 3 }) declare n: number;
}

export const entities = [Plain, Folded, ByDevice, ByTenant];
export const tenants = ['acme', 'acme2', 'a', 'acme#d', 'b'];
export const devices = ['', 'd', 'd#', 'e'];

/** The methods of a repository in a scope, called as JavaScript may. */
export type Untyped = Record<string, (...args: unknown[]) => never>;

/** All stored rows of the other tenants, cell by cell. */
export async function others(db: Database, entity: typeof Plain, own: string): Promise<unknown[]> {
  const rows = await db.repository(entity).scanAll().all();
  return rows.filter(({ tenant }) => tenant.toLowerCase() !== own);
}

export async function fill(db: Database): Promise<void> {
  for (const entity of entities as (typeof Plain)[]) {
    const rows = db.repository(entity);
    await rows.saveMany(
      tenants.flatMap((tenant) =>
        devices.flatMap((device) =>
          [1, 2].map((n) => rows.create({ tenant, device, n, note: tenant, value: n })),
        ),
      ),
    );
  }
}
