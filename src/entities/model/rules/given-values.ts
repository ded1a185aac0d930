/** The values that the library gives an entity: defaults, initial values and generated ids. */
import type { Values } from '../../../base/index.js';
import type { ColumnModel, EntityModel } from '../model.js';

type Target = Record<string, unknown>;
type Giver = (entity: Target) => void;

/** What the library gives new entities. Each function sets what the entity lacks. */
export interface GivenValues {
  /** As `create`: generated ids, initial values and defaults. */
  readonly onCreate: Giver | undefined;
  /** As `fromJSON`: generated ids, initial values of required columns, and defaults. */
  readonly onParse: Giver | undefined;
  /** The generated ids that an entity lacks; undefined if no segment has any. */
  readonly ids: ((entity: Values) => Target) | undefined;
  /** The same for initial values. */
  readonly initial: ((entity: Values) => Target) | undefined;
}

type Single = Extract<ColumnModel, { readonly kind: 'column' | 'packed' }>;
type Value = readonly [property: string, create: () => unknown];

const known = new WeakMap<EntityModel, GivenValues>();

/** What the library gives entities of a model, compiled once. */
export function givenValues(model: EntityModel): GivenValues {
  let given = known.get(model);
  if (given === undefined) known.set(model, (given = compile(model)));
  return given;
}

function compile({ segments, columns }: EntityModel): GivenValues {
  const ids = segments.flatMap(({ property, generate }): Value[] =>
    generate === undefined ? [] : [[property, generate]],
  );
  const single = columns.filter(
    (each): each is Single => each.kind === 'column' || each.kind === 'packed',
  );
  const valuesOf = (name: 'default' | 'initial', all = single): Value[] =>
    all.flatMap((column): Value[] => {
      const create = column[name];
      return create === undefined ? [] : [[column.property, create]];
    });
  const initial = valuesOf('initial');
  const required = single.filter((column) => column.required === true);
  return {
    onCreate: giver([...ids, ...initial, ...valuesOf('default')]),
    onParse: giver([...ids, ...valuesOf('initial', required), ...valuesOf('default')]),
    ids: lackingOf(ids),
    initial: lackingOf(initial),
  };
}

function giver(values: readonly Value[]): Giver | undefined {
  if (values.length === 0) return undefined;
  return (entity) => void Object.assign(entity, lacking(values, entity));
}

function lackingOf(values: readonly Value[]): ((entity: Values) => Target) | undefined {
  return values.length === 0 ? undefined : (entity) => lacking(values, entity);
}

/** The values of the properties that an entity lacks. */
function lacking(values: readonly Value[], entity: Values): Target {
  const given: Target = {};
  for (const [property, create] of values) {
    const value = entity[property];
    if (value === undefined || value === null) given[property] = create();
  }
  return given;
}
