/**
 * The rows in which index tables keep the states of their indexes, described as an entity: so that
 * their table has the family, and that no other reader of the table takes them for foreign rows.
 */
import { noBytes } from '../../../../base/index.js';
import { scalarCodec } from '../../../../data/cell/index.js';
import { buildKeyCodec, type KeyPart } from '../../../../data/key/index.js';
import type { FamilySchema } from '../../../../data/store/index.js';
import type { ColumnModel, EntityModel } from '../../model.js';
import { deepFreeze, frozenMap } from '../shared/freeze.js';

/** Names of indexes have no `-`, so that no entry begins with it. */
const statesLiteral = 'index-states';
const family = '_s';

type StateQualifier =
  'state' | 'version' | 'build' | 'position' | 'unresolved' | 'entity' | 'table';

/** The columns of a state. src/entities/derived/FORMAT.md describes them. */
export const stateColumns: Readonly<Record<StateQualifier, Uint8Array> & { family: string }> =
  Object.freeze({
    family,
    state: noBytes,
    version: Buffer.from('v'),
    build: Buffer.from('b'),
    position: Buffer.from('p'),
    unresolved: Buffer.from('u'),
    entity: Buffer.from('e'),
    table: Buffer.from('t'),
  });

const families = frozenMap<string, FamilySchema>([
  [family, deepFreeze({ gc: { kind: 'maxVersions', versions: 1 } })],
]);

const columnNames = ['state', 'build', 'entity', 'position', 'table', 'unresolved', 'version'];

/** The states of the indexes with entries in a table. */
export function indexStatesModel(
  table: string,
  format: EntityModel['key']['spec']['format'],
): EntityModel {
  const name = `${table}.states`;
  const parts: KeyPart[] = [
    { kind: 'literal', text: statesLiteral },
    { kind: 'segment', name: 'id', type: { kind: 'string' } },
  ];
  const built = buildKeyCodec(deepFreeze({ format, parts }), name);
  if ('faults' in built) throw new Error(`the states of ${table} have no key`);
  return Object.freeze({
    name,
    entityClass: { [name]: class {} }[name],
    table: Object.freeze({ name: table, families }),
    segments: deepFreeze([{ property: 'id', type: { kind: 'string' as const } }]),
    key: built.codec,
    columns: Object.freeze(columnNames.map(stateColumn)),
    patterns: Object.freeze([]),
    indexes: Object.freeze([]),
    rollups: [],
  });
}

function stateColumn(property: string): ColumnModel {
  const qualifier = stateColumns[property as Exclude<keyof typeof stateColumns, 'family'>];
  return Object.freeze({
    kind: 'column',
    property,
    family,
    qualifier,
    codec: scalarCodec('string'),
  });
}
