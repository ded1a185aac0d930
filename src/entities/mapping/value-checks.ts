/**
 * All checks of values before a write, with one report: declared rules, Standard Schemas, and rules
 * of class-validator.
 */
import type { Values } from '../../base/index.js';
import {
  byProperty,
  declaredRules,
  type EntityModel,
  type HeldRules,
  type Issues,
  issuesError,
  type SchemaRules,
  schemaRules,
  type Verdict,
} from '../model/index.js';
import { type Validators, validatorsOf } from './validation.js';

/** An entity, for messages and for rules of class-validator. */
export interface CheckedEntity {
  /** The values as an instance of the class. */
  readonly instance: () => object;
  /** The row key as text. */
  readonly keyText: () => string;
}

/** What a patch writes, for rules of class-validator. */
export interface CheckedPatch extends CheckedEntity {
  /** The properties that are written. */
  readonly given: () => readonly string[];
}

/**
 * The checks of a model. Their methods throw VALIDATION_FAILED with all issues, or return a promise
 * that rejects with it if something must be awaited.
 */
export class ValueChecks {
  readonly #model: EntityModel;
  readonly #held: HeldRules | undefined;
  readonly #schemas: SchemaRules | undefined;
  readonly #validates: boolean;
  #validators: Validators | undefined | 'unknown' = 'unknown';

  /** `validate` is whether schemas and rules of class-validator are checked. */
  constructor(model: EntityModel, validate: boolean) {
    this.#model = model;
    this.#held = declaredRules(model);
    this.#schemas = validate ? schemaRules(model) : undefined;
    this.#validates = validate;
  }

  /** Whether values of columns are read: a getter must not return different ones to the write. */
  get readsColumns(): boolean {
    return this.#held?.hasColumns === true || this.#schemas !== undefined;
  }

  /** Whether code of the application runs: schemas, or rules of class-validator. */
  get runsCode(): boolean {
    return this.#schemas !== undefined || this.#rules() !== undefined;
  }

  /** Checks only the declared rules of an entity that is written whole. */
  declaredOfEntity(values: Values): void {
    const issues = this.#held?.entity(values);
    if (issues !== undefined) throw issuesError(this.#model, issues);
  }

  /** The same for a patch. */
  declaredOfPatch(key: Values, changes: Values): void {
    const issues = this.#held?.patch(key, changes);
    if (issues !== undefined) throw issuesError(this.#model, issues);
  }

  /** Checks an entity that is written whole. */
  entity(values: Values, subject: CheckedEntity): Promise<void> | undefined {
    const rules = this.#rules();
    const instance = rules && subject.instance();
    return this.#report(subject, [
      this.#held?.entity(values),
      this.#schemas?.entity(values),
      // Last, because its promise may reject, and what is before it may throw.
      rules?.entity(instance!),
    ]);
  }

  /** Checks the changes of a patch, where null deletes, and the key of a row that it may make. */
  patch(key: Values, changes: Values, subject: CheckedPatch): Promise<void> | undefined {
    const rules = this.#rules();
    const instance = rules && subject.instance();
    return this.#report(subject, [
      this.#held?.patch(key, changes),
      this.#schemas?.changes(changes),
      rules?.patch(instance!, subject.given()),
    ]);
  }

  /** What declared rules find in values of columns. */
  declaredIssues(values: Values): Issues {
    return this.#held?.patch({}, values);
  }

  /** Checks the key of a row that increments and appends may make. */
  key(values: Values): void {
    this.#held?.checkKey(values);
  }

  #report({ keyText }: CheckedEntity, verdicts: readonly Verdict[]): Promise<void> | undefined {
    const check = (lists: readonly Issues[]): undefined => {
      const issues = byProperty(this.#model, lists);
      if (issues === undefined) return;
      throw issuesError(this.#model, issues, keyText());
    };
    if (verdicts.some((verdict) => verdict instanceof Promise))
      return Promise.all(verdicts as readonly Promise<Issues>[]).then(check);
    return check(verdicts as readonly Issues[]);
  }

  /**
   * Looked up at the first write, not on opening: rules may be registered later, and a class
   * without any never awaits.
   */
  #rules(): Validators | undefined {
    if (!this.#validates) return undefined;
    if (this.#validators === 'unknown') this.#validators = validatorsOf(this.#model);
    return this.#validators;
  }
}
