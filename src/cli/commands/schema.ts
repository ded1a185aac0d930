/** `rowsmith schema`: the stored tables against the declared ones. */
import { absoluteUrl, openEngine } from '../../engines/index.js';
import { gcRuleText } from '../../model/index.js';
import { DatabaseAdmin, gcConflict, type SchemaChange } from '../../repository/index.js';
import type { FamilySchema, GcRule } from '../../store/index.js';
import { openStored } from './open-stored.js';
import { loadProject } from '../project/load-project.js';
import type { Terminal } from '../terminal/terminal.js';
import { exit, parseOptions, UsageError, type Command } from '../command.js';

const help = `Usage: rowsmith schema (plan | apply) [--url URL] [--allow-data-loss]

Compares the stored tables and families with those that the entities declare. plan prints what is missing or differs, changes nothing, and exits
with 3 when there is something; apply makes the changes. Tables and families that no entity declares are left alone, and nothing is ever dropped.

  --url URL          The database: file:./data, bigtable://project/instance. Default: the url of the project's config.
  --allow-data-loss  apply: also replace garbage collection rules by ones that delete what the stored ones keep. It is gone for good.`;

/** The verb. */
export const schema: Command = {
  help,
  async run(args, { terminal, ...context }) {
    const {
      values,
      positionals: [action, ...more],
    } = parseOptions(
      args,
      { url: { type: 'string' }, 'allow-data-loss': { type: 'boolean' } },
      true,
    );
    const { url, 'allow-data-loss': allowDataLoss = false } = values;
    if ((action !== 'plan' && action !== 'apply') || more.length > 0)
      throw new UsageError('schema takes plan or apply');
    if (action === 'plan' && allowDataLoss)
      throw new UsageError('--allow-data-loss goes with apply');
    const project = await loadProject(context);
    const place = url === undefined ? project.url : absoluteUrl(url, context.folder);
    if (place === undefined)
      throw new UsageError('neither --url nor the config says where the rows are');
    if (place === 'memory:')
      throw new UsageError(
        'memory: is empty in every process; name file:./directory or bigtable://project/instance',
      );
    const engine = action === 'plan' ? await openStored(place) : await openEngine(place);
    try {
      const admin = new DatabaseAdmin(engine, project.models);
      const changes = await admin.plan();
      if (action === 'apply') {
        const losing = changes.find((change) => change.kind === 'changeGc' && change.losesData);
        if (losing?.kind === 'changeGc' && !allowDataLoss)
          throw gcConflict(
            project.models,
            losing,
            'declare the stored rule, or give --allow-data-loss to replace it; nothing was changed',
          );
        await admin.apply({ allowDataLoss });
      }
      tell(terminal, changes, action, place);
      return action === 'plan' && changes.length > 0 ? exit.different : exit.ok;
    } finally {
      await engine.close();
    }
  },
};

function tell(
  terminal: Terminal,
  changes: readonly SchemaChange[],
  action: 'plan' | 'apply',
  url: string,
): void {
  terminal.data({ url, [action === 'plan' ? 'changes' : 'changed']: changes.map(dataOf) });
  for (const change of changes) {
    const losing = change.kind === 'changeGc' && change.losesData;
    const mark =
      change.kind === 'changeGc' ? terminal.style.code('change') : terminal.style.good('create');
    terminal.say(
      `${mark}  ${textOf(change)}${losing ? terminal.style.bad('  deletes what the stored rule keeps') : ''}`,
    );
  }
  if (changes.length === 0)
    terminal.say(`${url} has every table and family that the entities declare`);
  else
    terminal.say(
      action === 'plan'
        ? 'Nothing was changed: rowsmith schema apply makes these changes'
        : `${changes.length} changes were made in ${url}`,
    );
}

function textOf(change: SchemaChange): string {
  switch (change.kind) {
    case 'createTable':
      return [
        `table ${change.table}`,
        ...[...change.schema.families].map(
          ([family, schema]) => `          family ${family}  ${familyText(schema)}`,
        ),
      ].join('\n');
    case 'createFamily':
      return `family ${change.family} of ${change.table}  ${familyText(change.schema)}`;
    default:
      return `family ${change.family} of ${change.table}  ${ruleText(change.from)} -> ${ruleText(change.to)}`;
  }
}

function familyText({ gc, aggregate }: FamilySchema): string {
  return [ruleText(gc), ...(aggregate === undefined ? [] : [aggregate])].join('  ');
}

function ruleText(rule: GcRule | undefined): string {
  return rule === undefined ? 'keeps everything' : gcRuleText(rule);
}

/** As JSON: maps as objects, rules as text. */
function dataOf(change: SchemaChange): unknown {
  const family = ({ gc, aggregate }: FamilySchema) => ({
    gc: gc === undefined ? 'never' : gcRuleText(gc),
    ...(aggregate === undefined ? {} : { aggregate }),
  });
  if (change.kind === 'createTable')
    return {
      kind: change.kind,
      table: change.table,
      families: Object.fromEntries(
        [...change.schema.families].map(([name, each]) => [name, family(each)]),
      ),
    };
  if (change.kind === 'createFamily') return { ...change, schema: family(change.schema) };
  return { ...change, from: ruleText(change.from), to: ruleText(change.to) };
}
