/** What the rules read of one entity: its model, its expectations, its validation rules. */
import {
  declarationOf,
  type EntityModel,
  type LintExpectation,
  type LintIgnoreDeclaration,
  type ValueRules,
} from '../../../entities/model/index.js';
import { validationRules, type ValidationRule } from './validation-rules.js';

/** An entity as rules see it. */
export interface LintSubject {
  readonly model: EntityModel;
  /** What is expected of a property; empty if nothing is declared. */
  readonly expect: (property: string) => LintExpectation;
  /** The rules of class-validator on a property. */
  readonly validation: (property: string) => readonly ValidationRule[];
  /** The rules that the entity ignores, with reasons. */
  readonly ignores: readonly LintIgnoreDeclaration[];
}

const nothing: LintExpectation = Object.freeze({});

/** The subject of a model. */
export function lintSubject(model: EntityModel): LintSubject {
  const { entity, lintIgnores } = declarationOf(model.entityClass);
  const expected = entity?.lint?.expect ?? {};
  const rules = validationRules(model.entityClass);
  return {
    model,
    expect: (property) => (Object.hasOwn(expected, property) ? expected[property] : nothing),
    validation: (property) => rules.get(property) ?? [],
    ignores: [...(entity?.lint?.ignore ?? []), ...lintIgnores],
  };
}

/** Families that the columns of the entity are in; the library owns the families of indexes. */
export function usedFamilies({ table, columns, marker }: EntityModel): readonly string[] {
  const used = new Set(columns.map(({ family }) => family));
  if (marker !== undefined) used.add(marker.family);
  return [...table.families.keys()].filter((family) => used.has(family));
}

/** The declared rules of the values of a segment or a column; empty if there are none. */
export function rulesOf({ model }: LintSubject, property: string): ValueRules {
  const found = [...model.segments, ...model.columns].find((each) => each.property === property);
  return found?.rules ?? noRules;
}

const noRules: ValueRules = Object.freeze({});

/** Whether class-validator has one of these rules on the property. */
export function isValidatedAs(
  subject: LintSubject,
  property: string,
  names: ReadonlySet<string>,
): boolean {
  return subject.validation(property).some(({ name }) => names.has(name));
}

/** The first number among the constraints of a rule, such as the maximum of `maxLength`. */
export function validatedNumber(
  subject: LintSubject,
  property: string,
  rule: string,
  position = 0,
): number | undefined {
  const found = subject.validation(property).find(({ name }) => name === rule);
  const value = found?.constraints[position];
  return typeof value === 'number' ? value : undefined;
}

/** How many values `@IsIn` and `@IsEnum` allow; undefined without such a rule. */
export function validatedMembers(subject: LintSubject, property: string): number | undefined {
  for (const { name, constraints } of subject.validation(property)) {
    // The last constraint of isEnum are its values.
    const values = constraints.at(-1);
    if ((name === 'isIn' || name === 'isEnum') && Array.isArray(values)) return values.length;
  }
  return undefined;
}
