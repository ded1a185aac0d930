/** The stream `gc`: what garbage collection rules remove. */
import {
  type EntityModel,
  gcRuleText,
  storedModels,
  tableSchemas,
} from '../../../entities/model/index.js';
import type { Engine, GcRule } from '../../../data/store/index.js';
import { estimateTable } from '../../gc/index.js';
import type { CallOf, StudioContext } from '../context.js';
import type { GcLine, GcReport } from '../protocol/insight.js';
import type { RequestFields } from '../request-fields.js';
import { StudioError } from '../studio-error.js';
import { withProgress } from '../work-progress.js';
import type { FaultTexts } from '../../../base/index.js';

/** Reads a table, or a sample of a large one. */
export async function* explainGc({
  context,
  request,
  signal,
}: CallOf<RequestFields>): AsyncGenerator<GcLine> {
  const table = request.text('table');
  const rules = rulesOf(context.models, table);
  const { engine, close } = await engineOf(context);
  let done = 0;
  const onRows = (rows: number): void => {
    signal.throwIfAborted();
    done = rows;
  };
  try {
    const nowMicros = context.now() * 1_000;
    const work = estimateTable(engine, { table, rules, nowMicros, onRows });
    const estimate = yield* withProgress(work, () => ({ done, unit: 'rows' }));
    const families = estimate.families.map((each) => ({
      ...each,
      rule: ruleText(rules.get(each.family)),
    }));
    const report: GcReport = { ...estimate, families, removal: removalText(context) };
    yield { type: 'report', report };
  } finally {
    await close();
  }
}

/** The declared rules of a table. Throws NOT_FOUND for a table that no entity declares. */
function rulesOf(
  models: readonly EntityModel[],
  table: string,
): ReadonlyMap<string, GcRule | undefined> {
  const schema = tableSchemas(storedModels(models)).find(({ name }) => name === table);
  if (schema === undefined) throw new StudioError('NOT_FOUND', faults.undeclaredTable(table));
  return new Map([...schema.families].map(([family, { gc }]) => [family, gc]));
}

/** An engine that shows cells that are due. */
async function engineOf({ db, openUncollected }: StudioContext): Promise<{
  readonly engine: Engine;
  readonly close: () => Promise<void>;
}> {
  if (openUncollected === undefined) return { engine: db.engine, close: () => Promise.resolve() };
  const engine = await openUncollected();
  return { engine, close: () => engine.close() };
}

function ruleText(rule: GcRule | undefined): string {
  return rule === undefined ? 'never' : gcRuleText(rule);
}

function removalText({ session }: StudioContext): string {
  switch (session.database.kind) {
    case 'bigtable':
      return 'Bigtable removes cells that are due within about a week.';
    case 'emulator':
      return 'An emulator or server may keep cells that are due.';
    case 'disk':
      return 'Cells that are due stay until their row is written, or until rowsmith compact is run.';
    case 'memory':
      return 'Reads hide cells that are due, so none is counted as due now.';
  }
}

const faults = {
  undeclaredTable: (table: string) => ({
    problem: `no entity of the project declares the table '${table}', so its rules are unknown`,
  }),
} satisfies FaultTexts;
