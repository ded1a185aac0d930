/**
 * Validation by class-validator's rules, where a class carries any. The package is an optional peer
 * and is loaded only then: whoever declared rules has it, and its rules live in one global storage,
 * so looking there costs nothing when there are none.
 */
import { indexed } from '../cell/index.js';
import { RowsmithError } from '../errors.js';
import type { ColumnModel, EntityModel, Version } from '../model/index.js';

/** One broken rule. */
export interface ValidationIssue {
  /** Path from the entity: `tenant`, `status.position.lat`, `tags[2]`. */
  readonly path: string;
  /** Name of the rule: `isString`, `min`. */
  readonly rule: string;
  readonly message: string;
}

/** Checks before a write. Both reject with VALIDATION_FAILED, which lists every issue. */
export interface Validators {
  /** Checks a whole entity. */
  whole(entity: object, rowKey: () => string): Promise<void>;
  /** Checks a patch: only the rules of the properties named in `given`. */
  partial(entity: object, rowKey: () => string, given: readonly string[]): Promise<void>;
}

type AnyClass = abstract new (...args: never[]) => object;

/** What of class-validator's storage and API is used here (0.14 and 0.15). */
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
/** Kept once loaded: from then on rules see an entity as it was when the write was called. */
let validate: Validate | undefined;

/**
 * The validators of a model, or undefined when neither its class nor its message classes carry
 * rules.
 */
export function validatorsOf(model: EntityModel): Validators | undefined {
  const storage = (globalThis as { classValidatorMetadataStorage?: RuleStorage })
    .classValidatorMetadataStorage;
  if (storage === undefined) return undefined;
  const rules = rulesOf(storage, model.entityClass);
  const nested = new Set(
    rules.filter((rule) => rule.type === 'nestedValidation').map((rule) => rule.propertyName),
  );
  // A message class with rules is checked even where the entity forgets @ValidateNested: its rules
  // were written to be kept.
  const messages = model.columns.filter(
    (column) =>
      column.message !== undefined &&
      !nested.has(column.property) &&
      rulesOf(storage, column.message.messageClass).length > 0,
  );
  if (rules.length === 0 && messages.length === 0) return undefined;
  const check = async (
    entity: object,
    rowKey: () => string,
    isGiven: (property: string) => boolean,
  ): Promise<void> => {
    validate ??= await loadValidate(model);
    const issues =
      rules.length === 0
        ? []
        : issuesOf(
            (await validate(entity, options)).filter(({ property }) => isGiven(property)),
            '',
          );
    for (const column of messages)
      if (isGiven(column.property)) issues.push(...(await messageIssues(validate, column, entity)));
    if (issues.length > 0) throw refusal(model, issues, rowKey());
  };
  return {
    whole: (entity, rowKey) => check(entity, rowKey, () => true),
    // Rules of what is not written do not count; those of what is written count in full: `null`
    // deletes, and may break a rule.
    partial: (entity, rowKey, given) =>
      check(entity, rowKey, (property) => given.includes(property)),
  };
}

function refusal(
  model: EntityModel,
  issues: readonly ValidationIssue[],
  rowKey: string,
): RowsmithError {
  return new RowsmithError('VALIDATION_FAILED', {
    entity: model.name,
    property: issues[0].path,
    problem: issues.map(({ path, message }) => `${path}: ${message}`).join('; '),
    fix: 'correct the values; nothing was written',
    rowKey,
    issues,
  });
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
  for (const [path, value] of messagesOf(
    column,
    (entity as Readonly<Record<string, unknown>>)[column.property],
  )) {
    if (typeof value !== 'object' || value === null || column.message === undefined) continue;
    // class-validator finds rules by the prototype; a plain object of the same form has none.
    const instance =
      value instanceof column.message.messageClass
        ? value
        : Object.assign(column.message.create(), value);
    issues.push(...issuesOf(await validate(instance, options), path));
  }
  return issues;
}

/** The messages a column's value holds, each with its path. */
function messagesOf({ property, kind }: ColumnModel, value: unknown): [string, unknown][] {
  if (kind === 'columnMap')
    return value instanceof Map
      ? [...value].map(([key, each]) => [property + indexed(key), each])
      : [];
  if (kind === 'versions')
    return Array.isArray(value)
      ? value.map((version, i) => [
          `${property}[${i}].value`,
          (version as Version<unknown> | null)?.value,
        ])
      : [];
  return [[property, value]];
}

function issuesOf(errors: readonly RuleError[], parent: string): ValidationIssue[] {
  return errors.flatMap(({ property, constraints, children }) => {
    const path = joinPath(parent, property);
    const own = Object.entries(constraints ?? {}).map(([rule, message]) => ({
      path,
      rule,
      message,
    }));
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
      {
        entity: model.name,
        problem: 'the entity carries rules of class-validator, which cannot be loaded',
        fix: 'npm install class-validator',
      },
      { cause },
    );
  }
}
