/** Applies a plan: one call for each table or setting, and each is read again to verify it. */
import {
  errorMessage,
  isRowsmithError,
  RowsmithError,
  type FaultTexts,
  type ProblemText,
} from '../../../base/index.js';
import { gcRuleKey } from '../../model/index.js';
import type { Engine, FamilySchema, TableSchema } from '../../../data/store/index.js';
import { familyChange, type SchemaChange } from '../database/schema-sync.js';
import {
  type DeclaredSchema,
  readSchemaPlan,
  readStoredTable,
  type SchemaPlan,
  tableFingerprint,
} from './schema-plan.js';
import { storedRuleText } from './schema-step.js';
import { optionChanges } from './table-options.js';
import type { SchemaStep, OptionChange } from './step.js';

/** How a plan is applied. */
export interface ApplyPlanOptions {
  /**
   * Live only: the pauses between attempts while Bigtable rejects a change of families because
   * another one is in progress, in milliseconds; it allows one at a time.
   */
  readonly pausesMs?: readonly number[];
  /** Called before a pause, with the reason. */
  readonly onPause?: (table: string, pauseMs: number, problem: string) => void;
  /** Called when a step is stored and verified, or was found not to be offered. */
  readonly onStep?: (result: StepResult) => void;
}

/** A step that was made. */
export interface StepResult {
  readonly step: SchemaStep;
  /** False if the database does not have such a setting: nothing was changed. */
  readonly offered: boolean;
}

/** What became of a plan. */
export interface ApplyPlanResult {
  readonly results: readonly StepResult[];
  /**
   * The new plan, if somebody else has changed a table since the plan was made: then the steps of
   * that table and all later ones were not made.
   */
  readonly changed: SchemaPlan | undefined;
}

/** About four minutes: Bigtable applies a change of rules in seconds to minutes. */
const defaultPausesMs = [1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30].map((each) => each * 1000);

/**
 * Makes the steps of a plan that apply, unless the stored tables have changed since planning. To
 * continue after an early end, plan and apply again. Rejects with the engine's error, or with
 * SCHEMA_CONFLICT if a step is not stored after it was made.
 */
export async function applySchemaPlan(
  engine: Engine,
  declared: DeclaredSchema,
  plan: SchemaPlan,
  options: ApplyPlanOptions = {},
): Promise<ApplyPlanResult> {
  const fresh = await readSchemaPlan(engine, declared);
  if (fresh.id !== plan.id) return { results: [], changed: fresh };
  const applying = new Applying(engine, declared.isLive, options);
  for (const [table, stored] of plan.stored) {
    const steps = plan.steps.filter((step) => step.applies && step.change.table === table);
    if (steps.length === 0) continue;
    const current = tableFingerprint(await readStoredTable(engine, table, declared.isLive));
    if (current !== stored)
      return { results: applying.results, changed: await readSchemaPlan(engine, declared) };
    try {
      await applying.table(table, steps);
    } catch (error) {
      // Another program has created the table since it was read a moment ago.
      if (!isRowsmithError(error) || error.code !== 'TABLE_EXISTS') throw error;
      return { results: applying.results, changed: await readSchemaPlan(engine, declared) };
    }
  }
  return { results: applying.results, changed: undefined };
}

type FamilyStepChange = Exclude<SchemaChange, { readonly kind: 'createTable' }>;

class Applying {
  readonly results: StepResult[] = [];
  readonly #engine: Engine;
  readonly #isLive: boolean;
  readonly #options: ApplyPlanOptions;

  constructor(engine: Engine, isLive: boolean, options: ApplyPlanOptions) {
    this.#engine = engine;
    this.#isLive = isLive;
    this.#options = options;
  }

  async table(table: string, steps: readonly SchemaStep[]): Promise<void> {
    const families: SchemaStep[] = [];
    const settings: SchemaStep[] = [];
    for (const step of steps) {
      if (step.change.kind === 'createTable') await this.#create(step, step.change.schema);
      else if (step.change.kind === 'setOption') settings.push(step);
      else families.push(step);
    }
    if (families.length > 0) await this.#changeFamilies(table, families);
    // In the order of optionChanges and not by safety: the protection comes last.
    const isProtection = ({ change }: SchemaStep): boolean =>
      change.kind === 'setOption' && change.option === 'deletionProtection';
    for (const step of [
      ...settings.filter((each) => !isProtection(each)),
      ...settings.filter(isProtection),
    ])
      await this.#setOption(step, step.change as OptionChange);
  }

  async #create(step: SchemaStep, schema: TableSchema): Promise<void> {
    await this.#engine.createTable(schema);
    const stored = await readStoredTable(this.#engine, schema.name, this.#isLive);
    for (const [family, declared] of schema.families)
      verifyFamily(schema.name, family, stored, declared);
    this.#done(step, true);
  }

  /** All changes of one table in one call, which is atomic. */
  async #changeFamilies(table: string, steps: readonly SchemaStep[]): Promise<void> {
    const changes = steps.map(({ change }) => change as FamilyStepChange);
    const pauses = this.#isLive ? [...(this.#options.pausesMs ?? defaultPausesMs)] : [];
    for (;;) {
      try {
        await this.#engine.modifyFamilies(table, changes.map(familyChange));
        break;
      } catch (error) {
        const pauseMs = isTransient(error) ? pauses.shift() : undefined;
        if (pauseMs === undefined) throw error;
        this.#options.onPause?.(table, pauseMs, problemOf(error));
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        // The rejected call, or a call with a lost response, may have been applied.
        const stored = await readStoredTable(this.#engine, table, this.#isLive);
        if (changes.every((change) => isStored(stored, change))) break;
      }
    }
    const stored = await readStoredTable(this.#engine, table, this.#isLive);
    for (const change of changes) verifyFamily(table, change.family, stored, wanted(change));
    for (const step of steps) this.#done(step, true);
  }

  async #setOption(step: SchemaStep, change: OptionChange): Promise<void> {
    const { table, update } = change;
    try {
      await this.#engine.updateTable(table, update);
    } catch (error) {
      if (!isRowsmithError(error) || !isUnoffered(error, change)) throw error;
      this.#done(step, false);
      return;
    }
    const stored = await readStoredTable(this.#engine, table, this.#isLive);
    // Emulators accept settings that they do not keep.
    const isKept = optionChanges(table, stored, update).length === 0;
    if (!isKept && change.option === 'deletionProtection')
      throw notStored(table, 'deletionProtection', faults.wrongSetting(change.from));
    this.#done(step, isKept);
  }

  #done(step: SchemaStep, offered: boolean): void {
    const result = { step, offered };
    this.results.push(result);
    this.#options.onStep?.(result);
  }
}

/** Whether another change is in progress, or the outcome of this one is not known. */
function isTransient(error: unknown): boolean {
  if (!isRowsmithError(error)) return false;
  if (error.code === 'UNAVAILABLE') return true;
  // Rules of replicated tables cannot be relaxed, however long one waits.
  const permanent = /relax|replicat|protect/i;
  return error.code === 'FAILED_PRECONDITION' && !permanent.test(problemOf(error));
}

/** What the database reports; messages of errors are constant. */
function problemOf(error: unknown): string {
  if (isRowsmithError(error) && typeof error.details.problem === 'string')
    return error.details.problem;
  return errorMessage(error);
}

/** Servers other than Google's reject settings that they do not have. */
function isUnoffered(error: RowsmithError, { option }: OptionChange): boolean {
  if (option === 'deletionProtection') return false;
  if (error.code === 'UNSUPPORTED') return true;
  return error.code === 'INVALID_ARGUMENT' && /mask|cannot be updated/i.test(problemOf(error));
}

function wanted(change: FamilyStepChange): FamilySchema {
  return change.kind === 'createFamily' ? change.schema : { gc: change.to };
}

function isStored(table: TableSchema | undefined, change: FamilyStepChange): boolean {
  const family = table?.families.get(change.family);
  return family !== undefined && gcRuleKey(family.gc) === gcRuleKey(wanted(change).gc);
}

function verifyFamily(
  table: string,
  name: string,
  stored: TableSchema | undefined,
  { gc, aggregate }: FamilySchema,
): void {
  const family = stored?.families.get(name);
  if (family === undefined) throw notStored(table, `family ${name}`, faults.missingFamily);
  if (gcRuleKey(family.gc) !== gcRuleKey(gc))
    throw notStored(table, `family ${name}`, faults.wrongRule(storedRuleText(family.gc)));
  if (aggregate !== undefined && family.aggregate !== aggregate)
    throw notStored(table, `family ${name}`, faults.wrongAggregate(aggregate));
}

function notStored(table: string, property: string, { problem }: ProblemText): RowsmithError {
  return new RowsmithError('SCHEMA_CONFLICT', {
    table,
    property,
    ...faults.notStored(problem),
  });
}

const faults = {
  wrongSetting: (changeFrom: string) => ({ problem: `it is ${changeFrom}` }),
  missingFamily: { problem: 'it does not exist' },
  wrongRule: (storedRule: string) => ({ problem: `it has the rule: ${storedRule}` }),
  wrongAggregate: (aggregate: string) => ({
    problem: `it is not an aggregate of kind ${aggregate}`,
  }),
  notStored: (problem: string) => ({
    problem: `after the change was made, ${problem}`,
    fix: 'plan and apply again: another program may have changed it meanwhile',
  }),
} satisfies FaultTexts;
