/** The entities that a database was opened with, found by any class that declares the same. */
import { RowsmithError, valueText, type FaultTexts, type ProblemText } from '../../base/index.js';
import {
  buildModel,
  type Constructor,
  declarationDifferences,
  type EntityModel,
} from '../model/index.js';
import { differentDeclaration } from './different-declaration.js';

/** The models of a database. */
export class OpenedEntities {
  readonly models: readonly EntityModel[];
  /** Models of the classes that were asked for. */
  readonly #found = new WeakMap<object, EntityModel>();

  constructor(models: readonly EntityModel[]) {
    this.models = models;
    for (const model of models) this.#found.set(model.entityClass, model);
  }

  /**
   * The opened model of an entity. Throws INVALID_ARGUMENT if there is none, and for a class that
   * could not have been opened INVALID_DECLARATION, which is the more useful error.
   */
  modelOf(entity: unknown): EntityModel {
    return this.#opened(this.ofClass(entity));
  }

  /**
   * The model of the entities of the given class: an opened one, or one like it if the
   * class was compiled twice. Throws the same errors.
   */
  ofClass(entity: unknown): EntityModel {
    if (typeof entity !== 'function') throw notOpened(valueText(entity), faults.unopenedEntity);
    let model = this.#found.get(entity);
    if (model === undefined) {
      model = this.#adopted(buildModel(entity as Constructor));
      this.#found.set(entity, model);
    }
    return model;
  }

  /** Undefined if the database was not opened with the entity. */
  find(entity: unknown): EntityModel | undefined {
    try {
      return this.modelOf(entity);
    } catch {
      return undefined;
    }
  }

  #opened({ name }: EntityModel): EntityModel {
    return this.models.find((model) => model.name === name)!;
  }

  #adopted(built: EntityModel): EntityModel {
    const opened = this.models.find(({ name }) => name === built.name);
    if (opened === undefined) throw this.#strangerError(built);
    const differences = declarationDifferences(opened, built);
    if (differences.length > 0)
      throw differentDeclaration(built.name, faults.otherDeclaration, differences);
    // What other entities copy depends on the entities that were opened together.
    const { table, copies, copiedBy } = opened;
    return Object.freeze({ ...built, table, copies, copiedBy });
  }

  #strangerError(built: EntityModel): RowsmithError {
    const renamed = this.models.find(
      (model) => declarationDifferences({ ...model, name: built.name }, built).length === 0,
    );
    if (renamed === undefined) return notOpened(built.name, faults.unopenedEntity);
    return new RowsmithError('INVALID_ARGUMENT', {
      entity: built.name,
      ...faults.renamedClass(renamed.name),
    });
  }
}

function notOpened(name: string, { problem }: ProblemText): RowsmithError {
  return new RowsmithError('INVALID_ARGUMENT', {
    entity: name,
    ...faults.missingEntity(problem, name),
  });
}

const faults = {
  unopenedEntity: { problem: 'the database was not opened with this entity' },
  otherDeclaration: { problem: 'the database was opened with another declaration of' },
  renamedClass: (name: string) => ({
    problem: `the database was opened with this declaration under the name '${name}'`,
    fix: `bundlers rename classes: declare the name in its options, name: '${name}'`,
  }),
  missingEntity: (problem: string, name: string) => ({
    problem,
    fix: `open(url, { entities: [${name}, ...] })`,
  }),
} satisfies FaultTexts;
