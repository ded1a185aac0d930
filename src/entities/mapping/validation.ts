/**
 * Validation with the rules of class-validator, an optional peer dependency. It keeps all rules in
 * one global object, so the package is only loaded if a class has rules.
 */
import { isMap, RowsmithError, type FaultTexts } from '../../base/index.js';
import { indexPath, joinPath, type MessageShape } from '../../data/cell/index.js';
import {
  type ColumnModel,
  type EntityModel,
  type Issues,
  type ValidationIssue,
  type Version,
} from '../model/index.js';

/** Checks before a write. */
export interface Validators {
  /** The issues of a complete entity. */
  entity(entity: object): Promise<Issues>;
  /** The issues of a patch: only the rules of the properties in `given`. */
  patch(entity: object, given: readonly string[]): Promise<Issues>;
}

type AnyClass = abstract new (...args: never[]) => object;

/** The parts of class-validator 0.14 and 0.15 that are used here. */
interface RuleStorage {
  getTargetValidationMetadatas(
    target: AnyClass,
    schema: string,
    always: boolean,
    strictGroups: boolean,
  ): readonly { readonly type: string; readonly propertyName: string }[];
}
interface RuleError {
  readonly property: string;
  readonly target?: object;
  readonly constraints?: Readonly<Record<string, string>>;
  readonly children?: readonly RuleError[];
}
type Validate = (value: object, options: object) => Promise<readonly RuleError[]>;

const options = { forbidUnknownValues: false };
/**
 * Loaded once. Afterwards the rules run without awaiting, and see the entity as it was passed to
 * the write.
 */
let validate: Validate | undefined;

/** The validators of a model; undefined if neither its class nor its message classes have rules. */
export function validatorsOf(model: EntityModel): Validators | undefined {
  const storage = (globalThis as { classValidatorMetadataStorage?: RuleStorage })
    .classValidatorMetadataStorage;
  if (storage === undefined) return undefined;
  const rules = rulesOf(storage, model.entityClass);
  const nested = new Set(
    rules.filter((rule) => rule.type === 'nestedValidation').map((rule) => rule.propertyName),
  );
  // A message class with rules is also checked if the entity does not declare @ValidateNested.
  const messages = model.columns.filter(
    (column) =>
      column.message !== undefined &&
      !nested.has(column.property) &&
      rulesOf(storage, column.message.messageClass).length > 0,
  );
  if (rules.length === 0 && messages.length === 0) return undefined;
  const check = async (entity: object, isGiven: (property: string) => boolean): Promise<Issues> => {
    validate ??= await loadValidate(model);
    const issues: ValidationIssue[] = [];
    if (rules.length > 0) {
      const errors = await validate(entityInstance(model, entity), options);
      const relevant = errors.filter(({ property }) => isGiven(property));
      issues.push(...issuesOf(relevant, ''));
    }
    for (const column of messages)
      if (isGiven(column.property)) issues.push(...(await messageIssues(validate, column, entity)));
    return issues.length > 0 ? issues : undefined;
  };
  return {
    entity: (entity) => check(entity, () => true),
    // Only written properties are checked. That includes `null`, which deletes and may violate a
    // rule.
    patch: (entity, given) => check(entity, (property) => given.includes(property)),
  };
}

function rulesOf(
  storage: RuleStorage,
  target: AnyClass,
): ReturnType<RuleStorage['getTargetValidationMetadatas']> {
  return storage.getTargetValidationMetadatas(target, '', false, false);
}

async function messageIssues(
  validate: Validate,
  column: ColumnModel,
  entity: object,
): Promise<ValidationIssue[]> {
  const issues: ValidationIssue[] = [];
  const columnValue = (entity as Readonly<Record<string, unknown>>)[column.property];
  for (const [path, value] of messagesOf(column, columnValue)) {
    if (typeof value !== 'object' || value === null || column.message === undefined) continue;
    const instance = messageInstance(column.message, value);
    issues.push(...issuesOf(await validate(instance, options), path));
  }
  return issues;
}

/** The entity, as an instance of the model's class if it is one of another compilation of it. */
function entityInstance({ entityClass }: EntityModel, entity: object): object {
  if (entity instanceof entityClass) return entity;
  return Object.defineProperties(new entityClass(), Object.getOwnPropertyDescriptors(entity));
}

/** class-validator finds rules by prototype, so plain objects are copied into an instance. */
function messageInstance(shape: MessageShape, value: object): object {
  if (value instanceof shape.messageClass) return value;
  return Object.assign(shape.create(), value);
}

/** The messages in a column's value, with their paths. Values of other types are ignored. */
function messagesOf({ property, kind }: ColumnModel, value: unknown): [string, unknown][] {
  if (kind === 'columnMap') {
    if (!isMap(value)) return [];
    return [...value].map(([key, entry]) => [property + indexPath(key), entry]);
  }
  if (kind === 'versions') {
    if (!Array.isArray(value)) return [];
    return (value as readonly (Version<unknown> | null)[]).map((version, i) => [
      `${property}[${i}].value`,
      version?.value,
    ]);
  }
  return [[property, value]];
}

function issuesOf(errors: readonly RuleError[], parent: string): ValidationIssue[] {
  return errors.flatMap(({ property, constraints, children }) => {
    const path = propertyPath(parent, property);
    const own = Object.entries(constraints ?? {}).map(([rule, message]) => ({
      path,
      rule,
      message,
    }));
    return [...own, ...issuesOf(children ?? [], path)];
  });
}

function propertyPath(parent: string, property: string): string {
  if (parent === '') return property;
  const isIndex = /^\d+$/.test(property);
  return joinPath(parent, isIndex ? `[${property}]` : property);
}

async function loadValidate(model: EntityModel): Promise<Validate> {
  try {
    return ((await import('class-validator')) as unknown as { validate: Validate }).validate;
  } catch (cause) {
    throw new RowsmithError(
      'MISSING_PACKAGE',
      {
        entity: model.name,
        ...faults.missingClassValidator,
      },
      { cause },
    );
  }
}

const faults = {
  missingClassValidator: {
    problem: 'the entity has class-validator rules, but the package cannot be loaded',
    fix: 'run npm install class-validator',
  },
} satisfies FaultTexts;
