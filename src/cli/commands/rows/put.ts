/** `rowsmith put`: writes one whole row. */
import type { FaultTexts } from '../../../base/index.js';
import { entityJson, type EntityModel } from '../../../entities/model/index.js';
import { defineCommand, UsageError } from '../../command.js';
import { assignmentArguments, findColumn, type JsonValues } from './change/assignments.js';
import { changeRow, changeShape, loadWrite } from './change/change-row.js';
import { writeOptions } from './change/confirm.js';
import { differences } from './change/difference.js';
import { storedRow } from './change/stored-row.js';
import { WriteSession } from './change/write-session.js';
import { repositoryOf } from '../../../tools/rows/index.js';

/** The command. */
export const command = defineCommand({
  usage: 'ENTITY (NAME=VALUE... | JSON | -) [options]',
  about: `Writes one row: values of all segments, and of columns. Deletes columns that are not
given, except counters; to change some columns use patch. JSON is the form that \`get\` prints; -
reads it from standard input. NAME:=JSON takes any JSON. Shows what changes, and asks on a terminal.
Does not write a row that has these values already.`,
  arguments: assignmentArguments,
  options: writeOptions,
  examples: [
    ['put Order shop=oslo n=9 status=open --yes', 'values as text'],
    [`put Order '{"shop":"oslo","n":9,"status":"open"}' --dry-run`, 'the row as JSON'],
  ],
  json: changeShape,
  rows: true,
  async run(input, context) {
    const row = await loadWrite(input, context);
    const { model, values } = row;
    const [counter] = Object.keys(row.amounts);
    if (counter !== undefined) throw new UsageError(faults.addInPut(counter));
    for (const name of Object.keys(row.columns)) findColumn(model, name, name);
    const after = entityJson(model).format(entityJson(model).parse(values, false));
    await using session = await WriteSession.open(row, context, true);
    const repository = repositoryOf(session.db, model);
    const stored = await storedRow(context.terminal, model, repository, row.key);
    checkCounters(model, stored?.json, after);
    const changes = differences(settable(model), stored?.json, after);
    const isSame = changes.length === 0 && stored?.entity !== undefined;
    const change = { isNew: stored === undefined, changes, isSame, question: 'Write this row?' };
    // save() may set a revision and times in the entity, so each call gets its own.
    await changeRow(row, change, session, context, (into) =>
      into.save(entityJson(model).parse(values, false)),
    );
  },
});

/** Columns that a write sets: neither counters nor columns that the library sets. */
function settable(model: EntityModel): readonly string[] {
  const managed: readonly unknown[] = Object.values(model.managed ?? {});
  return model.columns
    .filter((column) => !isCounted(column) && !managed.includes(column.property))
    .map(({ property }) => property);
}

function isCounted(column: EntityModel['columns'][number]): boolean {
  return column.kind === 'counter' || (column.kind === 'columnMap' && column.aggregate);
}

/** save() keeps counters as they are: another value would be ignored. Throws UsageError. */
function checkCounters(
  model: EntityModel,
  before: JsonValues | undefined,
  after: JsonValues,
): void {
  const counters = model.columns.filter(isCounted).map(({ property }) => property);
  const given = counters.filter((name) => after[name] !== undefined);
  const [changed] = differences(given, before, after);
  if (changed === undefined) return;
  const { property } = changed;
  const isMap = findColumn(model, property, property).kind === 'columnMap';
  const amount = isMap ? `'{"entry": AMOUNT}'` : 'AMOUNT';
  throw new UsageError(faults.counterInPut(property, model.name, amount));
}

const faults = {
  addInPut: (counter: string) => ({
    problem: `${counter}+= changes a row that exists`,
    fix: 'rowsmith patch',
  }),
  counterInPut: (property: string, name: string, amount: string) => ({
    problem: `'${property}' of ${name} is a counter, which is changed by amounts`,
    fix: `leave it out, and add with rowsmith patch ... ${property}+=${amount}`,
  }),
} satisfies FaultTexts;
