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
import { type CommandInput, defineCommand, exit, flag, text, UsageError } from '../../command.js';
import { loadProject, type Project } from '../../project/load-project.js';
import type { Terminal } from '../../terminal/terminal.js';
import { isMissing, openStored, patience } from '../open-stored.js';
import { databaseUrl } from '../row-command.js';
import { checkConflicts, checkKeys, checkLosses, keySchemaTables } from './check-steps.js';
import { declaredSchema } from './declared-schema.js';
import { manualSteps } from './manual-steps.js';
import { changesJson, planJson, printManual, printSteps, stepJson } from './report-plan.js';

const options = {
  url: text(
    'URL',
    'The database: file:./data, bigtable://project/instance. Default: url of the config',
  ),
  'allow-data-loss': flag(
    'apply: also make the steps that lose data, such as a garbage collection rule that deletes ' +
      'cells which the stored rule keeps. They are lost permanently',
  ),
  'verify-keys': flag(
    'apply: read all keys of a table before it gets a row key schema, which is rejected on a ' +
      'table with rows otherwise',
  ),
  plan: text('ID', 'apply: only if the plan is still the one that plan printed with this id'),
};

interface Call {
  readonly action: 'plan' | 'apply';
  readonly url: string | undefined;
  readonly allowDataLoss: boolean;
  readonly verifyKeys: boolean;
  /** The id of the plan to apply; undefined for whatever is needed. */
  readonly expected: string | undefined;
}

/** What both actions work on. */
interface Target {
  readonly url: string;
  readonly folder: string;
  readonly engine: Engine;
  readonly project: Project;
  readonly declared: DeclaredSchema;
  readonly terminal: Terminal;
}

/** The command. */
export const schema = defineCommand({
  usage: '(plan | apply) [options]',
  about: `Compares the stored tables, families and settings with those that the entities and the
config declare. plan prints the steps by how safe they are, changes nothing, and exits with 3 if there
is a difference. apply makes them, and reads each again to verify it. What no entity declares is left
alone; nothing is ever dropped. If somebody else has changed a table meanwhile, apply stops with 3.`,
  arguments: [{ name: 'action', kind: ['plan', 'apply'] }],
  options,
  async run(input, { terminal, ...context }) {
    const call = readOptions(input);
    const project = await loadProject(context);
    const url = databaseUrl(project, call.url, context.folder);
    if (url === 'memory:')
      throw new UsageError(
        'memory: is empty in every process; name file:./directory or bigtable://project/instance',
      );
    const declared = declaredSchema(project, url);
    const engine = await openFor(call.action, url);
    try {
      const { folder } = context;
      const target: Target = { url, folder, engine, project, declared, terminal };
      const plan = await readSchemaPlan(engine, declared);
      if (call.action === 'plan') return await report(target, plan);
      return await apply(target, plan, call);
    } finally {
      await engine.close();
    }
  },
});

function readOptions({ values, positionals }: CommandInput<typeof options>): Call {
  const [action] = positionals;
  if (action !== 'plan' && action !== 'apply') throw new UsageError('schema takes plan or apply');
  const ofApply = ['allow-data-loss', 'verify-keys', 'plan'] as const;
  for (const name of ofApply)
    if (action === 'plan' && values[name] !== undefined)
      throw new UsageError(`--${name} is an option of apply`);
  return {
    action,
    url: values.url,
    allowDataLoss: values['allow-data-loss'] === true,
    verifyKeys: values['verify-keys'] === true,
    expected: values.plan,
  };
}

/** A directory that does not exist has no tables: everything is to be created, later. */
function openFor(action: Call['action'], url: string): Promise<Engine> {
  if (action === 'apply') return openEngine(url, { bigtable: patience });
  if (isMissing(url)) return openEngine('memory:');
  return openStored(url);
}

/** Prints a plan. */
async function report(target: Target, plan: SchemaPlan): Promise<number> {
  const { url, folder, project, declared, terminal } = target;
  const { steps } = plan;
  const manual = declared.isLive ? await manualSteps(project, url, folder) : [];
  if (terminal.json) checkConflicts(plan, declared.models);
  terminal.printJson({ url, ...planJson(plan), exists: !isMissing(url), manual });
  printSteps(terminal, steps);
  printManual(terminal, manual);
  checkConflicts(plan, declared.models);
  for (const { table, isNew } of keySchemaTables(steps))
    if (!isNew)
      terminal.print(`Before: apply --verify-keys reads all keys of ${table}, as keys verify does`);
  const isDifferent = steps.some(({ applies, safety }) => applies || safety === 'impossible');
  if (!isDifferent) {
    terminal.print(`${url} has every table and family that the entities declare`);
    return exit.ok;
  }
  if (isMissing(url)) terminal.print(`${url} does not exist yet: apply creates it`);
  terminal.print(
    `Nothing was changed: rowsmith schema apply makes these changes (plan ${plan.id})`,
  );
  return exit.different;
}

async function apply(target: Target, plan: SchemaPlan, call: Call): Promise<number> {
  const { url, engine, project, declared, terminal } = target;
  if (call.expected !== undefined && call.expected !== plan.id) {
    terminal.note(`rowsmith: this is no longer plan ${call.expected}; nothing was changed`);
    await report(target, plan);
    return exit.different;
  }
  checkConflicts(plan, declared.models);
  if (!call.allowDataLoss) checkLosses(plan, declared.models);
  const verified = await checkKeys(engine, plan, declared.models, {
    verify: call.verifyKeys,
    terminal,
  });
  if (!verified) return exit.different;
  const { results, changed } = await applySchemaPlan(engine, declared, plan, {
    onPause: (table, pauseMs, problem) =>
      terminal.note(`${table}: ${problem}; next attempt in ${pauseMs / 1000} s`),
  });
  const made = results.filter(({ offered }) => offered).map(({ step }) => step);
  if (changed !== undefined) {
    const count = countText(made.length, 'change');
    terminal.note(
      `rowsmith: somebody else changed a table after it was read; ${count} made before that`,
    );
    await report(target, changed);
    return exit.different;
  }
  await new IndexStates(engine).prepare(project.models);
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
  if (plan.steps.every(({ safety }) => safety !== 'impossible')) return exit.ok;
  printSteps(
    terminal,
    plan.steps.filter(({ safety }) => safety === 'impossible'),
  );
  return exit.partial;
}
