/** The entities that the arguments of a command name. */
import { suggestionText } from '../../base/index.js';
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
  if (name === undefined) throw new UsageError(`no entity was named: ${usage}; ${all}`);
  const found = models.find((model) => model.name === name);
  if (found !== undefined) return found;
  if (!className.test(name))
    throw new UsageError(`'${name}' is not an entity, which comes first: ${usage}; ${all}`);
  throw new UsageError(
    `the project has no entity '${name}'; ${suggestionText(name, names, 'the entities are')}`,
  );
}

/** The entities of these names, or all if there are none. Throws UsageError. */
export function findEntities(
  project: Models,
  names: readonly string[],
  usage: string,
): readonly EntityModel[] {
  if (names.length === 0) return project.models;
  return names.map((name) => findEntity(project, name, usage));
}

/**
 * The entity of a name among some of the project, or all of these. `what` they have, such as `an
 * index`. Throws UsageError if there is none.
 */
export function entitiesWith(
  models: readonly EntityModel[],
  name: string | undefined,
  what: string,
): readonly EntityModel[] {
  if (models.length === 0) throw new UsageError(`no entity of the project ${what}`);
  if (name === undefined) return models;
  const found = models.find((model) => model.name === name);
  if (found !== undefined) return [found];
  const names = models.map((model) => model.name);
  throw new UsageError(
    `there is no entity '${name}' that ${what}; ` + suggestionText(name, names, 'the entities are'),
  );
}
