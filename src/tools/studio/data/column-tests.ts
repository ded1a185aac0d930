/** The tests that conditions of `where` take, by column and by field of a message. */
import { type FieldType, jsTypes, type MessageShape } from '../../../data/cell/index.js';
import type { ColumnModel, SegmentModel } from '../../../entities/model/index.js';
import type { FieldTests, TestKind } from '../protocol/schema.js';

const presence: readonly TestKind[] = ['isNull', 'notNull'];
const equality: readonly TestKind[] = ['equals', 'oneOf', 'noneOf', ...presence];
const ordered: readonly TestKind[] = [...equality, 'above', 'atLeast', 'below', 'atMost'];
const texts: readonly TestKind[] = [...ordered, 'startsWith'];

/** Messages in messages that forms unfold; a message may contain itself. */
const maxDepth = 4;
/** Fields that a form can choose from. */
const maxFields = 300;

/** The tests of a column with a kind of `columnKind`. */
export function testsOf(column: ColumnModel, kind: string): readonly TestKind[] {
  if (column.kind === 'columnMap' || column.kind === 'versions') return [];
  switch (kind) {
    case 'message':
    case 'custom':
      return presence;
    case 'bool':
      return equality;
    case 'string':
    case 'date':
    case 'bytes':
    case 'json':
      return texts;
    default:
      return ordered;
  }
}

/** The tests of a segment. */
export function segmentTests({ type }: SegmentModel): readonly TestKind[] {
  switch (type.kind) {
    case 'bool':
    case 'reversedId':
    case 'domain':
      return equality;
    case 'string':
      return type.order === 'desc' ? ordered : texts;
    default:
      return ordered;
  }
}

/** The single values in the message of a column; undefined for other columns. */
export function fieldTests({ kind, message }: ColumnModel): readonly FieldTests[] | undefined {
  if (message === undefined || kind === 'columnMap' || kind === 'versions') return undefined;
  return [...fieldsOf(message, [])].slice(0, maxFields);
}

function* fieldsOf(shape: MessageShape, path: readonly string[]): Generator<FieldTests> {
  for (const { name, label, type } of shape.fields) {
    if (label !== 'singular') continue;
    const own = [...path, name];
    yield { path: own, ...testsOfType(type) };
    if (type.kind === 'message' && own.length < maxDepth) yield* fieldsOf(type.shape(), own);
  }
}

function testsOfType(type: FieldType): Omit<FieldTests, 'path'> {
  if (type.kind === 'message') return { kind: 'message', tests: presence };
  if (type.kind === 'enum')
    return { kind: 'enum', tests: ordered, values: [...type.values.keys()] };
  switch (jsTypes[type.scalar]) {
    case 'boolean':
      return { kind: type.scalar, tests: equality };
    case 'string':
    case 'Uint8Array':
      return { kind: type.scalar, tests: texts };
    default:
      return { kind: type.scalar, tests: ordered };
  }
}
