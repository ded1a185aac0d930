/** `rowsmith explain`: the plan of a read. */
import { existsSync } from 'node:fs';
import { pointRange, type FaultTexts } from '../../../base/index.js';
import { parseEngineUrl } from '../../../engines/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import {
  explain as explainPlan,
  type Explanation,
  fullScan,
  planOf,
} from '../../../entities/query/index.js';
import { type Database, open } from '../../../entities/repository/index.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import type { Project } from '../../project/load-project.js';
import { databaseUrl } from '../database.js';
import { wholeKey } from './input/key-conditions.js';
import { nextSegmentQuery } from './input/next-segment.js';
import {
  checkSelected,
  loadRead,
  pickOptions,
  rangeNames,
  type ReadCall,
  rejectPattern,
} from './input/read-call.js';
import { keyPlace, rangeQuery, selected } from './input/read-query.js';

const shown = ['select', 'limit', 'reverse', 'index', 'as-of', 'versions', 'url'] as const;
const explainable = ['scan', 'get', 'count', 'ls'] as const;
type Explained = (typeof explainable)[number];

/** The command. */
export const command = defineCommand({
  usage: '[scan|get|count|ls] ENTITY [PATTERN] [SEGMENT=VALUE...] [options]',
  about: `Prints what a command (default: scan) would read: ranges of keys, order, families,
filters, and what the storage tests. Reads nothing.`,
  arguments: [
    { name: 'COMMAND', kind: { anyOf: [explainable, 'entity'] } },
    { name: 'SEGMENT=VALUE', kind: { anyOf: ['entity', 'pattern', 'segment'] }, repeatable: true },
  ],
  options: pickOptions(...rangeNames, ...shown),
  examples: [
    ['explain Order shop=oslo --where status=open', 'a scan'],
    ['explain count Order --index byStatus status=open', 'another command, through an index'],
  ],
  json: 'Explanation',
  async run({ values, positionals }, context) {
    const { read, rest } = explained(positionals);
    const { call, project, model } = await loadRead({ values, positionals: rest }, context);
    await using db = await openForPlans(project, context, call);
    const plan = planText(db, model, read, call);
    context.terminal.printJson(plan);
    context.terminal.print(String(plan));
  },
});

function explained(args: readonly string[]): {
  readonly read: Explained;
  readonly rest: readonly string[];
} {
  const read = explainable.find((name) => name === args[0]);
  if (read === undefined) return { read: 'scan', rest: args };
  return { read, rest: args.slice(1) };
}

function planText(db: Database, model: EntityModel, read: Explained, call: ReadCall): Explanation {
  switch (read) {
    case 'get':
      return getPlan(model, call);
    case 'count':
      return rangeQuery(db, model, call).keysOnly().explain();
    case 'ls':
      return nextSegmentQuery(db, model, call).query.explain();
    case 'scan':
      return selected(rangeQuery(db, model, call), model, call).explain();
  }
}

function getPlan(model: EntityModel, call: ReadCall): Explanation {
  rejectPattern(model, call);
  if (call.index !== undefined) throw new UsageError(faults.getThroughIndex);
  const key = wholeKey(keyPlace(model, call), call);
  const select = checkSelected(model, call.select);
  const { asOf, versions } = call;
  const spec = {
    ...fullScan,
    key: { depth: model.key.names.length, prefixes: [key] },
    select: select.length > 0 ? select : undefined,
    asOf,
    versions,
  };
  const ranges = { perShard: [[pointRange(model.key.encode(key))]] };
  return explainPlan(model, planOf(model, spec, ranges));
}

/**
 * Plans do not depend on what is stored: without a database, or before the directory exists, they
 * are the ranges of an empty one.
 */
async function openForPlans(
  project: Project,
  { folder }: CommandContext,
  { url }: ReadCall,
): Promise<Database> {
  const { entities } = project;
  const empty = { entities, lint: false };
  if (url === undefined && project.url === undefined) return open('memory:', empty);
  const target = databaseUrl(project, url, folder);
  const parsed = parseEngineUrl(target);
  const isEmpty = parsed.kind === 'disk' && !existsSync(parsed.directory);
  if (parsed.kind === 'memory' || isEmpty) return open('memory:', empty);
  return open(target, { entities, readOnly: true, lint: false });
}

const faults = {
  getThroughIndex: {
    problem: 'get through an index reads an entry and its row',
    fix: 'explain scan --index',
  },
} satisfies FaultTexts;
