/**
 * Validation by class-validator's rules, where a class carries any. The package is an optional peer and is loaded only then: whoever declared
 * rules has it, and its rules live in one global storage, so looking there costs nothing when there are none.
 */
import { RowsmithError } from '../errors.js';
import type { ColumnModel, EntityModel } from '../model/model.js';

/** One broken rule. */
export interface ValidationIssue {
  /** Path from the entity: `tenant`, `status.position.lat`, `tags[2]`. */
  readonly path: string;
  /** Name of the rule: `isString`, `min`. */
  readonly rule: string;
  readonly message: string;
}

/** Checks an entity before it is written. Rejects with VALIDATION_FAILED, which lists every issue. */
export type Validator = (entity: object, rowKey: () => string) => Promise<void>;

/** The checks of an entity; undefined where no class carries rules, so that nothing is awaited. */
export interface Validators {
  /** For whole entities. */
  readonly whole: Validator;
  /** For patches: rules of absent properties are left out. */
  readonly partial: Validator;
}

type AnyClass = abstract new (...args: never[]) => object;

/** What of class-validator's storage and API is used here (0.14 and 0.15). */
interface RuleStorage {
  getTargetValidationMetadatas(target: AnyClass, schema: string, always: boolean, strictGroups: boolean): readonly { readonly type: string; readonly propertyName: string }[];
}
interface RuleError {
  readonly property: string;
  readonly target?: object;
  readonly constraints?: Readonly<Record<string, string>>;
  readonly children?: readonly RuleError[];
}
type Validate = (value: object, options: object) => Promise<readonly RuleError[]>;

/** The validators of a model, or undefined when neither its class nor its message classes carry rules. */
export function validatorsOf(model: EntityModel): Validators | undefined {
  const storage = (globalThis as { classValidatorMetadataStorage?: RuleStorage }).classValidatorMetadataStorage;
  if (storage === undefined) return undefined;
  const rules = rulesOf(storage, model.entityClass);
  const nested = new Set(rules.filter((rule) => rule.type === 'nestedValidation').map((rule) => rule.propertyName));
  // A message class with rules is checked even where the entity forgets @ValidateNested: its rules were written to be kept.
  const messages = model.columns.filter((column) => column.message !== undefined && !nested.has(column.property) && rulesOf(storage, column.message.messageClass).length > 0);
  if (rules.length === 0 && messages.length === 0) return undefined;
  const validator = (skipMissingProperties: boolean): Validator => async (entity, rowKey) => {
    const validate = await loadValidate(model);
    const options = { forbidUnknownValues: false, skipMissingProperties };
    const issues = rules.length === 0 ? [] : issuesOf(await validate(entity, options), '');
    for (const column of messages) issues.push(...(await messageIssues(validate, options, column, entity)));
    if (issues.length === 0) return;
    throw new RowsmithError('VALIDATION_FAILED', {
      entity: model.name,
      property: issues[0].path,
      problem: issues.map(({ path, message }) => `${path}: ${message}`).join('; '),
      fix: 'correct the values; nothing was written',
      rowKey: rowKey(),
      issues,
    });
  };
  return { whole: validator(false), partial: validator(true) };
}

function rulesOf(storage: RuleStorage, target: AnyClass): ReturnType<RuleStorage['getTargetValidationMetadatas']> {
  return storage.getTargetValidationMetadatas(target, '', false, false);
}

async function messageIssues(validate: Validate, options: object, { property, message }: ColumnModel, entity: object): Promise<ValidationIssue[]> {
  const value = (entity as Readonly<Record<string, unknown>>)[property];
  if (message === undefined || typeof value !== 'object' || value === null) return [];
  // class-validator finds rules by the prototype; a plain object of the same form has none.
  const instance = value instanceof message.messageClass ? value : Object.assign(message.create(), value);
  return issuesOf(await validate(instance, options), property);
}

function issuesOf(errors: readonly RuleError[], parent: string): ValidationIssue[] {
  return errors.flatMap(({ property, constraints, children }) => {
    const path = joinPath(parent, property);
    const own = Object.entries(constraints ?? {}).map(([rule, message]) => ({ path, rule, message }));
    return [...own, ...issuesOf(children ?? [], path)];
  });
}

function joinPath(parent: string, property: string): string {
  if (parent === '') return property;
  return /^\d+$/.test(property) ? `${parent}[${property}]` : `${parent}.${property}`;
}

async function loadValidate(model: EntityModel): Promise<Validate> {
  try {
    return ((await import('class-validator')) as unknown as { validate: Validate }).validate;
  } catch (cause) {
    throw new RowsmithError(
      'MISSING_PACKAGE',
      { entity: model.name, problem: 'the entity carries rules of class-validator, which cannot be loaded', fix: 'npm install class-validator' },
      { cause },
    );
  }
}
