/**
 * Entities that differ in what follows from their rows. They have the same properties, so that the
 * same calls are made with all of them, and each has a subclass with a revision, for `update`.
 */
import { Column, Counter, Entity, Revision, Segment } from '../../../decorators/index.js';
import {
  copies,
  copyOf,
  indexOn,
  indexes,
  maxVersions,
  rollups,
  rowKey,
  uniqueIndexOn,
} from '../../../src/index.js';

const families = { m: { gc: maxVersions(1) }, c: { gc: maxVersions(1) } };
const daily = {
  by: ['tenant', { time: 'at', every: '1d' }],
  values: { count: 'count', items: { sum: 'items' }, most: { max: 'items' } },
} as const;

@Entity({ table: 'plain', families })
export class Plain {
  static readonly key = rowKey('tenant', 'at', 'id');
  @Segment('string') tenant!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uint', { max: 9_999 }) id!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'int32') items?: number;
  /** The `id` of the row that `ownerStatus` is copied of. */
  @Column('m', 'uint32') owner?: number;
  @Column('m', 'string') ownerStatus?: string;
  /** Nothing follows from it. */
  @Column('m', 'string') note?: string;
  @Counter('c') views?: bigint;
}

@Entity({ table: 'indexed', families })
class Indexed extends Plain {
  static readonly indexes = indexes({ byStatus: indexOn('tenant', 'status') });
}

@Entity({ table: 'unique', families })
class Unique extends Plain {
  static readonly indexes = indexes({ byStatus: uniqueIndexOn('tenant', 'status') });
}

@Entity({ table: 'rolled', families })
class Rolled extends Plain {
  static readonly rollups = rollups({ daily });
}

@Entity({ table: 'sources', families })
class Source extends Plain {}

@Entity({ table: 'copying', families })
class Copying extends Plain {
  static readonly indexes = indexes({ byOwner: indexOn('tenant', 'at', 'owner') });
  static readonly copies = copies({
    ownerStatus: copyOf(() => Source, 'status', { tenant: 'tenant', at: 'at', id: 'owner' }),
  });
}

@Entity({ table: 'all', families })
class All extends Copying {
  static override readonly indexes = indexes({
    byOwner: indexOn('tenant', 'at', 'owner'),
    byStatus: indexOn('tenant', 'status'),
  });
  static readonly rollups = rollups({ daily });
}

@Entity({ table: 'plain_revised', families })
class PlainRevised extends Plain {
  @Revision('m') revision?: string;
}

@Entity({ table: 'indexed_revised', families })
class IndexedRevised extends Indexed {
  @Revision('m') revision?: string;
}

@Entity({ table: 'unique_revised', families })
class UniqueRevised extends Unique {
  @Revision('m') revision?: string;
}

@Entity({ table: 'rolled_revised', families })
class RolledRevised extends Rolled {
  @Revision('m') revision?: string;
}

@Entity({ table: 'sources_revised', families })
class SourceRevised extends Source {
  @Revision('m') revision?: string;
}

/** Copies values of the source with a revision. */
@Entity({ table: 'copying_of_revised', families })
class CopyingOfRevised extends Plain {
  static readonly indexes = indexes({ byOwner: indexOn('tenant', 'at', 'owner') });
  static readonly copies = copies({
    ownerStatus: copyOf(() => SourceRevised, 'status', { tenant: 'tenant', at: 'at', id: 'owner' }),
  });
}

@Entity({ table: 'copying_revised', families })
class CopyingRevised extends Copying {
  @Revision('m') revision?: string;
}

@Entity({ table: 'all_revised', families })
class AllRevised extends All {
  @Revision('m') revision?: string;
}

/** What follows from the rows of an entity. */
export interface Feature {
  readonly name: string;
  readonly entity: typeof Plain;
  readonly revised: typeof Plain;
  /** Entities whose rows must exist as well: sources, and rows that copy. */
  readonly others: readonly (typeof Plain)[];
  /** Whether writes of one bucket wait for each other. */
  readonly contends?: boolean;
}

export const features: readonly Feature[] = [
  { name: 'nothing', entity: Plain, revised: PlainRevised, others: [] },
  { name: 'index', entity: Indexed, revised: IndexedRevised, others: [] },
  { name: 'unique index', entity: Unique, revised: UniqueRevised, others: [] },
  {
    name: 'copies of it',
    entity: Source,
    revised: SourceRevised,
    others: [Copying, CopyingOfRevised],
  },
  { name: 'copied value', entity: Copying, revised: CopyingRevised, others: [Source] },
  { name: 'rollup', entity: Rolled, revised: RolledRevised, others: [], contends: true },
  {
    name: 'index, copied value, rollup',
    entity: All,
    revised: AllRevised,
    others: [Source],
    contends: true,
  },
];
