/** The entities that calls pass. */
import {
  type RowsmithError,
  type Values,
  valueText,
  type FaultTexts,
  type ProblemText,
} from '../../../base/index.js';
import { partialReadOf } from '../../mapping/index.js';
import {
  argumentError,
  declarationOf,
  type EntityClass,
  type EntityModel,
  isEntityOf,
  isSameEntity,
} from '../../model/index.js';
import { differencesOfValue, differentDeclaration } from '../different-declaration.js';

/** Subclasses that are the same entity. */
const checkedSubclasses = new WeakMap<EntityModel, WeakSet<object>>();

/** The values of an entity. Throws INVALID_ARGUMENT unless it is a whole instance of the class. */
export function entityArgument(model: EntityModel, entity: unknown): Values {
  if (isEntityOf(model, entity)) {
    checkClass(model, entity);
    return entity as unknown as Values;
  }
  if (typeof entity === 'object' && entity !== null) throw noInstance(model, entity);
  throw wrongEntity(model, faults.notAnInstance(entity, model.name));
}

function noInstance(model: EntityModel, entity: object): RowsmithError {
  const { name } = model;
  const differences = differencesOfValue(model, entity);
  if (differences !== undefined)
    return differentDeclaration(name, faults.otherDeclaration, differences, {
      property: 'entity',
    });
  const problem = `it is not an instance of ${name} (results of select() are plain objects)`;
  return wrongEntity(model, { problem });
}

function wrongEntity(model: EntityModel, { problem }: ProblemText): RowsmithError {
  return argumentError(model, 'entity', faults.notAnEntity(problem, model.name));
}

/** An entity of a subclass has a separate row, with another key and other columns. */
function checkClass(model: EntityModel, { constructor: subclass }: object): void {
  const { entityClass } = model;
  if (subclass === entityClass || typeof subclass !== 'function') return;
  let checked = checkedSubclasses.get(model);
  if (checked === undefined) checkedSubclasses.set(model, (checked = new WeakSet()));
  if (checked.has(subclass)) return;
  const isEntity = declarationOf(subclass as EntityClass).entity !== undefined;
  if (isEntity && !isSameEntity(entityClass, subclass as EntityClass))
    throw argumentError(model, 'entity', faults.otherEntity(subclass.name));
  checked.add(subclass);
}

/** save() would delete the versions, and the newer cells, that a query has left out. */
export function assertReadWhole(model: EntityModel, entity: Values): void {
  const read = partialReadOf(entity);
  if (read === undefined) return;
  throw argumentError(model, 'entity', faults.partlyRead(read));
}

const faults = {
  notAnInstance: (entity: unknown, name: string) => ({
    problem: `it is ${valueText(entity)}, not an instance of ${name}`,
  }),
  otherDeclaration: { problem: 'it is an instance of another declaration of' },
  notAnEntity: (problem: string, name: string) => ({
    problem,
    fix: `create it with create({ ... }) or new ${name}(); to write some columns use patch()`,
  }),
  otherEntity: (name: string) => ({
    problem: `it is a ${name}, which is another entity`,
    fix: `save it with db.repository(${name})`,
  }),
  partlyRead: (read: string) => ({
    problem: `it was read by a query with ${read}(), so stored data is missing in it that save() would delete`,
    fix: 'write some columns with patch(), or read the entity with get() before you save it',
  }),
} satisfies FaultTexts;
