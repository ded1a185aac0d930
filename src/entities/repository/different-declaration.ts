/** The error for two declarations under one name: shows where they differ. */
import {
  type ErrorDetails,
  RowsmithError,
  type FaultTexts,
  type ProblemText,
} from '../../base/index.js';
import {
  buildModel,
  type Constructor,
  declarationOf,
  declarationDifferences,
  type EntityModel,
} from '../model/index.js';

/** Differences that an error names. */
const maxDifferences = 5;

/** `problem` stands before the entity's name in the error. */
export function differentDeclaration(
  name: string,
  { problem }: ProblemText,
  differences: readonly string[],
  details: ErrorDetails = {},
): RowsmithError {
  return new RowsmithError('INVALID_ARGUMENT', {
    entity: name,
    ...details,
    ...faults.otherDeclaration(problem, name, differences.slice(0, maxDifferences).join('; ')),
    differences,
  });
}

/** Where the class of a value differs from the entity; undefined if it is not of the same name. */
export function differencesOfValue(
  model: EntityModel,
  { constructor }: object,
): readonly string[] | undefined {
  if (typeof constructor !== 'function') return undefined;
  if (declarationOf(constructor as Constructor).entity === undefined) return undefined;
  try {
    const other = buildModel(constructor as Constructor);
    return other.name === model.name ? declarationDifferences(model, other) : undefined;
  } catch {
    // A class with a faulty declaration is no entity.
    return undefined;
  }
}

const faults = {
  otherDeclaration: (problem: string, name: string, list: string) => ({
    problem: `${problem} ${name}: ${list}`,
    fix:
      'declare the entity once; if it was edited while the program runs, restart it, ' +
      'or open the database with shared(), which opens it again in development',
  }),
} satisfies FaultTexts;
