/** `rowsmith schema`: compares the stored tables with the declared ones, or updates them. */
import { countText } from '../../../base/index.js';
import { IndexStates } from '../../../entities/derived/index.js';
import { openEngine } from '../../../engines/index.js';
import {
  applySchemaPlan,
  type DeclaredSchema,
  readSchemaPlan,
  type SchemaPlan,
} from '../../../entities/repository/index.js';
import type { Engine } from '../../../data/store/index.js';
import { defineCommand, flag, only, type OptionValues, text, urlOption } from '../../command.js';
import { loadProject, type Project } from '../../project/load-project.js';
import type { Terminal } from '../../terminal/terminal.js';
import { isMissing, openStored, patience, storedUrl } from '../database.js';
import { assertReachable } from '../reachable.js';
import { checkConflicts, checkKeys, checkLosses, keySchemaTables } from './check-steps.js';
import { declaredSchema } from './declared-schema.js';
import { manualSteps } from './manual-steps.js';
import { printUndecodableRows, undecodableRows, undecodableShape } from './undecodable-rows.js';
import { changesJson, planJson, printManual, printSteps, stepJson } from './report-plan.js';

const options = {
  url: urlOption,
  'allow-data-loss': only(
    ['apply'],
    flag(
      'Also make steps that lose data, such as a garbage collection rule that deletes more cells',
    ),
  ),
  'verify-keys': only(
    ['apply'],
    flag('Read all keys of a table with rows before it gets a row key schema; needed for it'),
  ),
  plan: only(['apply'], text('ID', 'Only if the plan still has this id')),
};

/** What both actions work on. */
interface Target {
  readonly url: string;
  readonly folder: string;
  readonly engine: Engine;
  readonly project: Project;
  readonly declared: DeclaredSchema;
  readonly terminal: Terminal;
}

const family = '{ gc: string, aggregate?: string }';
const change = `{ kind: string, table: string, family?: string, option?: string, from?: string,
  to?: string, schema?: ${family}, families?: { [family: string]: ${family} } }`;
const step = `{ safety: string, applies: boolean, consequence: string, change: ${change} }`;
const manual = `{ object: string, name: string, consequence: string, generate: string,
  command: string }`;

/** The command. */
export const command = defineCommand({
  usage: '(plan | apply) [options]',
  about: `Compares the stored tables, families and settings with the entities and the
config. plan prints the steps by how safe they are, and rows that no entity decodes, among up to
10,000 keys of each table. apply makes the steps, and reads each again to verify it. Nothing is ever
dropped.`,
  actions: ['plan', 'apply'],
  options,
  examples: [
    ['schema plan', 'what apply would do'],
    ['schema apply', 'creates tables and families, and changes rules'],
    ['schema plan --url bigtable://project/instance', 'the same of a live instance'],
  ],
  exits: {
    different:
      'plan: there is a difference; apply: a table or the plan has changed, or keys do not decode',
    partial: 'apply: impossible steps were left out',
  },
  json: {
    plan: `{ url: string, id: string, changes: ${change}[], steps: ${step}[], exists: boolean,
      manual: ${manual}[], undecodable: ${undecodableShape}[] }`,
    apply: `{ url: string, changed: ${change}[], steps: (${step} & { offered: boolean })[] }`,
  },
  async run({ action, values }, { terminal, ...context }) {
    const project = await loadProject(context);
    const { folder } = context;
    const url = storedUrl(project, values.url, folder);
    const declared = declaredSchema(project, url);
    const engine = await openFor(action, url);
    try {
      const target: Target = { url, folder, engine, project, declared, terminal };
      const plan = await readSchemaPlan(engine, declared);
      if (action === 'plan') return await report(target, plan);
      return await apply(target, plan, values);
    } finally {
      await engine.close();
    }
  },
});

/** A directory that does not exist has no tables: everything is to be created, later. */
async function openFor(action: 'plan' | 'apply', url: string): Promise<Engine> {
  await assertReachable(url);
  if (action === 'apply') return openEngine(url, { bigtable: patience });
  if (isMissing(url)) return openEngine('memory:');
  return openStored(url);
}

/** Prints a plan. */
async function report(target: Target, plan: SchemaPlan): Promise<'different' | undefined> {
  const { url, folder, project, declared, terminal } = target;
  const { steps } = plan;
  const manual = declared.isLive ? await manualSteps(project, url, folder) : [];
  const undecodable = await undecodableRows(target.engine, project, terminal);
  if (terminal.json) checkConflicts(plan, declared.models);
  terminal.printJson({ url, ...planJson(plan), exists: !isMissing(url), manual, undecodable });
  printSteps(terminal, steps);
  printManual(terminal, manual);
  printUndecodableRows(terminal, undecodable);
  checkConflicts(plan, declared.models);
  for (const { table, isNew } of keySchemaTables(steps))
    if (!isNew)
      terminal.print(`Before: apply --verify-keys reads all keys of ${table}, as keys verify does`);
  const isDifferent = steps.some(({ applies, safety }) => applies || safety === 'impossible');
  if (!isDifferent) {
    if (undecodable.length > 0) {
      terminal.print('schema apply does not change rows; tables and families are as declared');
      return 'different';
    }
    terminal.print(`${url} has every table and family that the entities declare`);
    return undefined;
  }
  if (isMissing(url)) terminal.print(`${url} does not exist yet: apply creates it`);
  terminal.print(
    `Nothing was changed: rowsmith schema apply makes these changes (plan ${plan.id})`,
  );
  return 'different';
}

async function apply(
  target: Target,
  plan: SchemaPlan,
  values: OptionValues<typeof options>,
): Promise<'different' | 'partial' | undefined> {
  const { engine, project, declared, terminal } = target;
  if (values.plan !== undefined && values.plan !== plan.id) {
    terminal.note(`rowsmith: this is no longer plan ${values.plan}; nothing was changed`);
    await report(target, plan);
    return 'different';
  }
  checkConflicts(plan, declared.models);
  if (!values.allowDataLoss) checkLosses(plan, declared.models);
  const verified = await checkKeys(engine, plan, declared.models, {
    verify: values.verifyKeys,
    terminal,
  });
  if (!verified) return 'different';
  const { results, changed } = await applySchemaPlan(engine, declared, plan, {
    onPause: (table, pauseMs, problem) =>
      terminal.note(`${table}: ${problem}; next attempt in ${pauseMs / 1000} s`),
  });
  if (changed !== undefined) {
    const count = countText(results.filter(({ offered }) => offered).length, 'change');
    terminal.note(
      `rowsmith: somebody else changed a table after it was read; ${count} made before that`,
    );
    await report(target, changed);
    return 'different';
  }
  await new IndexStates(engine).prepare(project.models);
  reportApplied(target, results);
  const impossible = plan.steps.filter(({ safety }) => safety === 'impossible');
  printSteps(terminal, impossible);
  return impossible.length === 0 ? undefined : 'partial';
}

type Applied = Awaited<ReturnType<typeof applySchemaPlan>>['results'];

function reportApplied({ url, terminal }: Target, results: Applied): void {
  const made = results.filter(({ offered }) => offered).map(({ step }) => step);
  terminal.printJson({
    url,
    changed: changesJson(made),
    steps: results.map(({ step, offered }) => ({ ...stepJson(step), offered })),
  });
  printSteps(terminal, made);
  for (const { step, offered } of results)
    if (!offered && step.change.kind === 'setOption')
      terminal.print(`${url} does not offer ${step.change.option}: nothing was set`);
  if (made.length === 0)
    terminal.print(`${url} has every table and family that the entities declare`);
  else terminal.print(`${countText(made.length, 'change')} made in ${url}`);
}
