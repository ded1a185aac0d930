/** The rules of class-validator on an entity. The package is not loaded for them. */
import type { Constructor } from '../../../entities/model/index.js';

/** One rule of a property. */
export interface ValidationRule {
  /** `isEmail`, `maxLength`. */
  readonly name: string;
  readonly constraints: readonly unknown[];
}

interface StoredRule {
  readonly propertyName: string;
  readonly name?: string;
  readonly constraints?: readonly unknown[];
}

/** The part of class-validator 0.14 and 0.15 that is used here: its one global object. */
interface RuleStorage {
  getTargetValidationMetadatas(
    target: Constructor,
    schema: string,
    always: boolean,
    strictGroups: boolean,
  ): readonly StoredRule[];
}

/** The rules of a class by property; empty if the program has not loaded class-validator. */
export function validationRules(
  entityClass: Constructor,
): ReadonlyMap<string, readonly ValidationRule[]> {
  const { classValidatorMetadataStorage: storage } = globalThis as {
    classValidatorMetadataStorage?: RuleStorage;
  };
  const rules = new Map<string, ValidationRule[]>();
  for (const stored of storage?.getTargetValidationMetadatas(entityClass, '', false, false) ?? []) {
    const { propertyName, name, constraints = [] } = stored;
    if (name === undefined) continue;
    rules.set(propertyName, [...(rules.get(propertyName) ?? []), { name, constraints }]);
  }
  return rules;
}
