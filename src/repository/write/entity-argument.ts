/** The entities that calls pass. */
import { valueText } from '../../base/index.js';
import { partialReadOf } from '../../mapping/index.js';
import {
  declarationOf,
  type EntityClass,
  type EntityModel,
  isEntityOf,
  isSameEntity,
} from '../../model/index.js';
import { argumentError } from '../argument-error.js';

type Values = Readonly<Record<string, unknown>>;

/** Subclasses that are the same entity. */
const checkedSubclasses = new WeakMap<EntityModel, WeakSet<object>>();

/** The values of an entity. Throws INVALID_ARGUMENT unless it is a whole instance of the class. */
export function entityArgument(model: EntityModel, entity: unknown): Values {
  if (isEntityOf(model, entity)) {
    checkClass(model, entity);
    return entity as unknown as Values;
  }
  let problem = `it is ${valueText(entity)}, not an instance of ${model.name}`;
  if (typeof entity === 'object' && entity !== null)
    problem = `it is not an instance of ${model.name} (results of select() are plain objects)`;
  throw argumentError(
    model,
    'entity',
    problem,
    `create it with create({ ... }) or new ${model.name}(); to write some columns use patch()`,
  );
}

/** An entity of a subclass has a row of its own, with another key and other columns. */
function checkClass(model: EntityModel, { constructor: subclass }: object): void {
  const { entityClass } = model;
  if (subclass === entityClass || typeof subclass !== 'function') return;
  let checked = checkedSubclasses.get(model);
  if (checked === undefined) checkedSubclasses.set(model, (checked = new WeakSet()));
  if (checked.has(subclass)) return;
  const isEntity = declarationOf(subclass as EntityClass).entity !== undefined;
  if (isEntity && !isSameEntity(entityClass, subclass as EntityClass))
    throw argumentError(
      model,
      'entity',
      `it is a ${subclass.name}, which is another entity`,
      `save it with db.repository(${subclass.name})`,
    );
  checked.add(subclass);
}

/** save() would delete the versions, and the newer cells, that a query has left out. */
export function assertReadWhole(model: EntityModel, entity: Values): void {
  const read = partialReadOf(entity);
  if (read === undefined) return;
  throw argumentError(
    model,
    'entity',
    `it was read by a query with ${read}(), so stored data is missing in it that save() would delete`,
    'write some columns with patch(), or read the entity with get() before you save it',
  );
}
