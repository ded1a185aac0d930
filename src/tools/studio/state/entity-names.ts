/** Entities and tables by the names in requests. */
import { suggestionText, type FaultTexts } from '../../../base/index.js';
import { type EntityModel, storedModels } from '../../../entities/model/index.js';
import { StudioError } from '../studio-error.js';

/** The entity of a name. Throws NOT_FOUND. */
export function entityNamed(models: readonly EntityModel[], name: string): EntityModel {
  const found = models.find((model) => model.name === name);
  if (found !== undefined) return found;
  const names = models.map((model) => model.name);
  throw new StudioError('NOT_FOUND', faults.unknownEntity(name, names));
}

/** One of the named parts of an entity: its indexes, rollups or patterns. Throws NOT_FOUND. */
export function partNamed<T extends { readonly name: string }>(
  { name: entity }: EntityModel,
  parts: readonly T[],
  what: string,
  name: string,
): T {
  const found = parts.find((part) => part.name === name);
  if (found !== undefined) return found;
  const names = parts.map((part) => part.name);
  throw new StudioError('NOT_FOUND', faults.unknownPart(entity, what, name, names));
}

/** All that writes rows into a table: entities, and what follows from them. */
export function modelsOfTable(
  models: readonly EntityModel[],
  table: string,
): readonly EntityModel[] {
  return storedModels(models).filter((model) => model.table.name === table);
}

const faults = {
  unknownEntity: (name: string, names: readonly string[]) => ({
    problem: `the project has no entity '${name}'`,
    fix: suggestionText(name, names, 'the entities are'),
  }),
  unknownPart: (entity: string, what: string, name: string, names: readonly string[]) => ({
    problem: `${entity} has no ${what} '${name}'`,
    fix: names.length === 0 ? `it declares no ${what}` : suggestionText(name, names, 'it has'),
  }),
} satisfies FaultTexts;
