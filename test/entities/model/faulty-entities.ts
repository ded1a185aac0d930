/** Entities with faults. */
import { type Fault, RowsmithError } from '../../../src/base/index.js';
import {
  buildModels,
  column,
  defineEntity,
  defineMessage,
  packed,
  rowKey,
} from '../../../src/entities/model/index.js';

export type Loose = Record<string, unknown>;

export type AnyClass = new () => object;

/** A correct entity with part of its definition replaced, untyped as in JavaScript. */
export function entity(change: Loose, name = 'Item'): AnyClass {
  const entityClass = { [name]: class {} }[name];
  return defineEntity(entityClass, {
    table: 't',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'string' },
    columns: { v: column('m', 'string') },
    ...change,
  } as never);
}

export function message(fields: Loose, name?: string): AnyClass {
  return defineMessage(class Part {}, { fields, name });
}

export const entityWith = (inner: unknown): AnyClass =>
  entity({ columns: { v: packed('m', inner as never) } });

/** `Class.property: problem | fix`, one line each. */
export function faultsOf(...classes: unknown[]): string[] {
  try {
    buildModels(classes as AnyClass[]);
  } catch (error) {
    expect(error).toBeInstanceOf(RowsmithError);
    expect((error as RowsmithError).code).toBe('INVALID_DECLARATION');
    return (error as RowsmithError).details.faults!.map(
      ({ entity, property, problem, fix }: Fault) =>
        `${entity}${property === undefined ? '' : `.${property}`}: ${problem} | ${fix}`,
    );
  }
  return [];
}
