/** What can be asked of a source: the entities, patterns, indexes, rollups and collections. */
import type { StudioSource } from '../../protocol/query.js';
import type {
  BoundKind,
  ColumnInfo,
  EntityInfo,
  SchemaInfo,
  SegmentInfo,
} from '../../protocol/schema.js';
import { periodText } from '../format/numbers.js';

/** A form: what it has inputs for. */
export interface SourceForm {
  readonly source: StudioSource;
  readonly title: string;
  readonly about?: string | undefined;
  readonly entity?: EntityInfo | undefined;
  readonly segments: readonly SegmentInfo[];
  /** The segments that must have values: all of a pattern, none of a key. */
  readonly needed: readonly string[];
  /** The bound that a pattern declares. */
  readonly bound?: { readonly kind: BoundKind; readonly segment: string } | undefined;
  /** The parts of the key, for people. */
  readonly parts: readonly string[];
  readonly columns: readonly ColumnInfo[];
  readonly takes: {
    readonly bounds: boolean;
    readonly options: boolean;
    readonly where: boolean;
    readonly select: boolean;
    readonly asOf: boolean;
    readonly versions: boolean;
  };
}

/** The form of a source; undefined if the project does not declare it. */
export function formOf(source: StudioSource, schema: SchemaInfo): SourceForm | undefined {
  if (source.kind === 'collection') return formOfCollection(source, schema);
  const entity = schema.entities.find((each) => each.name === source.entity);
  if (entity === undefined) return undefined;
  if (source.kind === 'entity') return formOfEntity(source, entity);
  if (source.kind === 'pattern') return formOfPattern(source, entity);
  if (source.kind === 'index') return formOfIndex(source, entity);
  return formOfRollup(source, entity);
}

/** All sources of an entity, ready forms first to last. */
export function sourcesOf(entity: EntityInfo, schema: SchemaInfo): readonly StudioSource[] {
  const { name } = entity;
  return [
    { kind: 'entity', entity: name },
    ...entity.patterns.map((each) => pattern(name, each.name)),
    ...entity.indexes.map((each) => index(name, each.name)),
    ...entity.rollups.map((each) => rollup(name, each.name)),
    ...schema.collections
      .filter(({ members }) => members.includes(name))
      .map(({ members }): StudioSource => ({ kind: 'collection', entities: members })),
  ];
}

const pattern = (entity: string, name: string): StudioSource => ({
  kind: 'pattern',
  entity,
  pattern: name,
});
const index = (entity: string, name: string): StudioSource => ({
  kind: 'index',
  entity,
  index: name,
});
const rollup = (entity: string, name: string): StudioSource => ({
  kind: 'rollup',
  entity,
  rollup: name,
});

/** The name of a source among those of its entity. */
export function sourceLabel(source: StudioSource): string {
  switch (source.kind) {
    case 'entity':
      return 'Key';
    case 'pattern':
      return source.pattern;
    case 'index':
      return source.index;
    case 'rollup':
      return source.rollup;
    case 'collection':
      return source.entities.join(' + ');
  }
}

export const entityOf = (source: StudioSource): string | undefined =>
  source.kind === 'collection' ? source.entities[0] : source.entity;

const everything = {
  bounds: true,
  options: true,
  where: true,
  select: true,
  asOf: true,
  versions: true,
};

const hasVersions = (entity: EntityInfo): boolean =>
  entity.columns.some(({ role }) => role === 'versions');

function formOfEntity(source: StudioSource, entity: EntityInfo): SourceForm {
  return {
    source,
    title: entity.name,
    entity,
    segments: entity.key.segments,
    needed: [],
    parts: entity.key.parts,
    columns: entity.columns,
    takes: { ...everything, versions: hasVersions(entity) },
  };
}

function formOfPattern(
  source: Extract<StudioSource, { kind: 'pattern' }>,
  entity: EntityInfo,
): SourceForm | undefined {
  const found = entity.patterns.find((each) => each.name === source.pattern);
  if (found === undefined) return undefined;
  const names = [...found.prefix, ...(found.bound === undefined ? [] : [found.bound.segment])];
  return {
    source,
    title: `${entity.name}.${found.name}`,
    about: found.purpose,
    entity,
    segments: entity.key.segments.filter(({ name }) => names.includes(name)),
    needed: names,
    bound: found.bound,
    parts: entity.key.parts,
    columns: entity.columns,
    takes: { ...everything, bounds: found.bound !== undefined, versions: false },
  };
}

function formOfIndex(
  source: Extract<StudioSource, { kind: 'index' }>,
  entity: EntityInfo,
): SourceForm | undefined {
  const found = entity.indexes.find((each) => each.name === source.index);
  if (found === undefined) return undefined;
  return {
    source,
    title: `${entity.name}.${found.name}`,
    about: `${found.unique ? 'Unique index' : 'Index'} in the table ${found.table}`,
    entity,
    segments: found.key.segments,
    needed: [],
    parts: found.key.parts,
    columns: source.covered
      ? entity.columns.filter(({ name }) => found.covered.includes(name))
      : entity.columns,
    takes: { ...everything, asOf: false, versions: false },
  };
}

function formOfRollup(
  source: Extract<StudioSource, { kind: 'rollup' }>,
  entity: EntityInfo,
): SourceForm | undefined {
  const found = entity.rollups.find((each) => each.name === source.rollup);
  if (found === undefined) return undefined;
  return {
    source,
    title: `${entity.name}.${found.name}`,
    about: `Rollup: ${found.values.join(', ')} for every ${periodText(found.seconds)}`,
    entity,
    segments: found.key.segments,
    needed: [],
    parts: found.key.parts,
    columns: [],
    takes: { ...everything, where: false, select: false, asOf: false, versions: false },
  };
}

function formOfCollection(
  source: Extract<StudioSource, { kind: 'collection' }>,
  schema: SchemaInfo,
): SourceForm | undefined {
  const named = [...source.entities].sort().join();
  const found = schema.collections.find(({ members }) => [...members].sort().join() === named);
  if (found === undefined) return undefined;
  return {
    source,
    title: source.entities.join(' + '),
    about: `Rows of ${source.entities.length} entities in the table ${found.table}, in one read`,
    segments: found.shared,
    needed: [],
    parts: found.shared.map(({ name, kind }) => `${name}: ${kind}`),
    columns: [],
    takes: { ...everything, where: false, select: false, asOf: false, versions: false },
  };
}
