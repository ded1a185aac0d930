/** The entities that the arguments of a command name. */
import { suggestionText, type FaultTexts } from '../../base/index.js';
import type { EntityModel } from '../../entities/model/index.js';
import { UsageError } from '../command.js';
import type { Project } from '../project/load-project.js';

type Models = Pick<Project, 'models'>;

/** A name of an entity: classes have names without dots and slashes, unlike files. */
const className = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** The entity of a name. Throws UsageError with the usage, or the nearest name. */
export function findEntity({ models }: Models, name: string | undefined, usage: string) {
  const names = models.map((model) => model.name);
  const all = `the entities are ${names.join(', ')}`;
  if (name === undefined) throw new UsageError(faults.noEntity(usage, all));
  const found = models.find((model) => model.name === name);
  if (found !== undefined) return found;
  if (!className.test(name)) throw new UsageError(faults.notAnEntity(name, usage, all));
  throw new UsageError(faults.unknownEntity(name, names));
}

/** The named entities, or all if no name is given. Throws UsageError. */
export function findEntities(
  project: Models,
  names: readonly string[],
  usage: string,
): readonly EntityModel[] {
  if (names.length === 0) return project.models;
  return names.map((name) => findEntity(project, name, usage));
}

/**
 * The entity with the name among `models`, or all models without a name. `what` they have, such as
 * `an index`. Throws UsageError if there is none.
 */
export function entitiesWith(
  models: readonly EntityModel[],
  name: string | undefined,
  what: string,
): readonly EntityModel[] {
  if (models.length === 0) throw new UsageError(faults.noSuitableEntity(what));
  if (name === undefined) return models;
  const found = models.find((model) => model.name === name);
  if (found !== undefined) return [found];
  const names = models.map((model) => model.name);
  throw new UsageError(faults.unsuitableEntity(name, what, names));
}

const faults = {
  noEntity: (usage: string, all: string) => ({
    problem: 'no entity was named',
    fix: `${usage}; ${all}`,
  }),
  notAnEntity: (name: string, usage: string, all: string) => ({
    problem: `'${name}' is not an entity, which comes first`,
    fix: `${usage}; ${all}`,
  }),
  unknownEntity: (name: string, names: readonly string[]) => ({
    problem: `the project has no entity '${name}'`,
    fix: suggestionText(name, names, 'the entities are'),
  }),
  noSuitableEntity: (what: string) => ({ problem: `no entity of the project ${what}` }),
  unsuitableEntity: (name: string, what: string, names: readonly string[]) => ({
    problem: `there is no entity '${name}' that ${what}`,
    fix: suggestionText(name, names, 'the entities are'),
  }),
} satisfies FaultTexts;
