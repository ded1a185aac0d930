/** `rowsmith put`: writes one whole row. */
import { entityJson, type EntityModel } from '../../../entities/model/index.js';
import { defineCommand, exit, UsageError } from '../../command.js';
import { loadProject } from '../../project/load-project.js';
import {
  assignmentArguments,
  findColumn,
  type JsonValues,
  readAssignments,
  readsInput,
  splitKey,
} from './change/assignments.js';
import { isAgreed, readConsent, writeOptions } from './change/confirm.js';
import { differences, type RowChange, showChange } from './change/difference.js';
import { storedRow } from './change/stored-row.js';
import { repositoryOf } from './input/read-query.js';
import { findEntity } from './session.js';
import { WriteSession } from './write-session.js';

const usage = 'rowsmith put ENTITY NAME=VALUE...';

/** The command. */
export const put = defineCommand({
  usage: 'ENTITY (NAME=VALUE... | JSON | -) [options]',
  about: `Writes one row: values of all segments, and of columns. Columns that are not given are deleted,
except counters; to change some columns use patch. JSON is the form that \`get\` prints; with - it is
read from standard input. NAME:=JSON takes any JSON, such as an object for a column map. Shows what
changes, and asks on a terminal. A row that has these values already is not written. For many rows
use import.`,
  arguments: assignmentArguments,
  options: writeOptions,
  async run({ values: options, positionals }, context) {
    const { terminal } = context;
    const [name, ...words] = positionals;
    const canAsk = terminal.canAsk && !readsInput(words, terminal);
    const consent = readConsent(terminal, 'put', options, canAsk);
    const project = await loadProject(context);
    const model = findEntity(project, name, usage);
    const { values, amounts } = await readAssignments(model, words, terminal);
    const [counter] = Object.keys(amounts);
    if (counter !== undefined)
      throw new UsageError(`${counter}+= changes a row that exists: rowsmith patch`);
    for (const each of Object.keys(values))
      if (!model.key.names.includes(each)) findColumn(model, each, each);
    const { key } = splitKey(model, values);
    const entity = entityJson(model).parse(values);
    const { url } = options;
    const how = { url, command: 'put', dryRun: consent.dryRun, creates: true };
    await using session = await WriteSession.open(project, context, how);
    const stored = await storedRow(terminal, model, repositoryOf(session.db, model), key);
    const before = stored?.json;
    const after = json(model, entity);
    checkCounters(model, before, after);
    const changes = differences(settable(model), before, after);
    const change: RowChange = { model, key, isNew: before === undefined, changes };
    showChange(terminal, change);
    const report = { entity: model.name, key: keyOf(model, after), new: change.isNew, changes };
    let written = false;
    const isSame = changes.length === 0 && stored?.entity !== undefined;
    if (isSame) terminal.note('the row has these values already');
    else if (await isAgreed(terminal, consent, 'Write this row?')) {
      // save() may set a revision and times in the entity, so each call gets its own.
      await session.write((db) => repositoryOf(db, model).save(entityJson(model).parse(values)));
      written = true;
    }
    if (!terminal.isForPeople) terminal.writeJsonLine({ ...report, written });
    return exit.ok;
  },
});

function json(model: EntityModel, entity: object): JsonValues {
  return entityJson(model).format(entity);
}

/** The segments of a row in JSON form. */
export function keyOf(model: EntityModel, row: JsonValues): JsonValues {
  return Object.fromEntries(model.key.names.map((name) => [name, row[name]]));
}

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
  throw new UsageError(
    `'${property}' of ${model.name} is a counter, which is changed by amounts: ` +
      `leave it out, and add with rowsmith patch ... ${property}+=${amount}`,
  );
}
