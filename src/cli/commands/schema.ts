/** `rowsmith schema`: compares the stored tables with the declared ones, or updates them. */
import { countText } from '../../base/index.js';
import { openEngine } from '../../engines/index.js';
import { IndexStates } from '../../derived/index.js';
import { gcRuleText, storedModels } from '../../model/index.js';
import { DatabaseAdmin, gcConflict, type SchemaChange } from '../../repository/index.js';
import type { FamilySchema, GcRule } from '../../store/index.js';
import { defineCommand, exit, flag, text, UsageError, type CommandInput } from '../command.js';
import { loadProject, type Project } from '../project/load-project.js';
import type { Terminal } from '../terminal/terminal.js';
import { openStored } from './open-stored.js';
import { databaseUrl } from './row-command.js';

type Action = 'plan' | 'apply';

const options = {
  url: text(
    'URL',
    'The database: file:./data, bigtable://project/instance. Default: url of the config',
  ),
  'allow-data-loss': flag(
    'apply: also replace garbage collection rules by ones that delete cells ' +
      'which the stored rules keep. Those cells are lost permanently',
  ),
};

/** The command. */
export const schema = defineCommand({
  usage: '(plan | apply) [--url URL] [--allow-data-loss]',
  about: `Compares the stored tables and families with those that the entities declare. plan prints
what is missing or differs, changes nothing, and exits with 3 if there is a difference. apply makes
the changes. Tables and families that no entity declares are left alone; nothing is ever dropped.`,
  arguments: [{ name: 'action', kind: ['plan', 'apply'] }],
  options,
  async run(input, { terminal, ...context }) {
    const { action, url, allowDataLoss } = readOptions(input);
    const project = await loadProject(context);
    const target = databaseUrl(project, url, context.folder);
    if (target === 'memory:')
      throw new UsageError(
        'memory: is empty in every process; name file:./directory or bigtable://project/instance',
      );
    const open = action === 'plan' ? openStored : openEngine;
    const engine = await open(target);
    try {
      const admin = new DatabaseAdmin(engine, storedModels(project.models), () =>
        new IndexStates(engine).prepare(project.models),
      );
      const changes = await admin.plan();
      if (action === 'apply') await apply(admin, project, changes, allowDataLoss);
      report(terminal, changes, action, target);
      if (action === 'plan' && changes.length > 0) return exit.different;
      return exit.ok;
    } finally {
      await engine.close();
    }
  },
});

function readOptions({ values, positionals }: CommandInput<typeof options>): {
  readonly action: Action;
  readonly url: string | undefined;
  readonly allowDataLoss: boolean;
} {
  const [action] = positionals;
  if (action !== 'plan' && action !== 'apply') throw new UsageError('schema takes plan or apply');
  const allowDataLoss = values['allow-data-loss'] === true;
  if (action === 'plan' && allowDataLoss)
    throw new UsageError('--allow-data-loss is an option of apply');
  return { action, url: values.url, allowDataLoss };
}

async function apply(
  admin: DatabaseAdmin,
  project: Project,
  changes: readonly SchemaChange[],
  allowDataLoss: boolean,
): Promise<void> {
  const losing = changes.find((change) => change.kind === 'changeGc' && change.losesData);
  if (losing?.kind === 'changeGc' && !allowDataLoss)
    throw gcConflict(
      project.models,
      losing,
      'declare the stored rule, or give --allow-data-loss to replace it; nothing was changed',
    );
  await admin.apply({ allowDataLoss });
}

function report(
  terminal: Terminal,
  changes: readonly SchemaChange[],
  action: Action,
  url: string,
): void {
  const key = action === 'plan' ? 'changes' : 'changed';
  terminal.printJson({ url, [key]: changes.map(jsonForm) });
  for (const change of changes) terminal.print(changeText(change, terminal));
  if (changes.length === 0)
    terminal.print(`${url} has every table and family that the entities declare`);
  else if (action === 'plan')
    terminal.print('Nothing was changed: rowsmith schema apply makes these changes');
  else terminal.print(`${countText(changes.length, 'change')} made in ${url}`);
}

function changeText(change: SchemaChange, { style }: Terminal): string {
  switch (change.kind) {
    case 'createTable':
      return [
        `${style.good('create')}  table ${change.table}`,
        ...[...change.schema.families].map(
          ([family, schema]) => `          family ${family}  ${familyText(schema)}`,
        ),
      ].join('\n');
    case 'createFamily':
      return [
        style.good('create'),
        `family ${change.family} of ${change.table}`,
        familyText(change.schema),
      ].join('  ');
    default: {
      const columns = [
        style.code('change'),
        `family ${change.family} of ${change.table}`,
        `${ruleText(change.from)} -> ${ruleText(change.to)}`,
      ];
      if (change.losesData) columns.push(style.bad('deletes what the stored rule keeps'));
      return columns.join('  ');
    }
  }
}

function familyText({ gc, aggregate }: FamilySchema): string {
  if (aggregate === undefined) return ruleText(gc);
  return `${ruleText(gc)}  ${aggregate}`;
}

function ruleText(rule: GcRule | undefined): string {
  if (rule === undefined) return 'keeps everything';
  return gcRuleText(rule);
}

/** For JSON: maps as objects, rules as text. */
function jsonForm(change: SchemaChange): unknown {
  switch (change.kind) {
    case 'createTable': {
      const families = [...change.schema.families].map(([name, schema]) => [
        name,
        jsonFamily(schema),
      ]);
      return {
        kind: change.kind,
        table: change.table,
        families: Object.fromEntries(families) as object,
      };
    }
    case 'createFamily':
      return { ...change, schema: jsonFamily(change.schema) };
    default:
      return { ...change, from: ruleText(change.from), to: ruleText(change.to) };
  }
}

function jsonFamily({ gc, aggregate }: FamilySchema): object {
  return { gc: gc === undefined ? 'never' : gcRuleText(gc), aggregate };
}
