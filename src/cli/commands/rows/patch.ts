/** `rowsmith patch`: changes some columns of one row. */
import type { ColumnModel, EntityModel } from '../../../entities/model/index.js';
import { columnJsonForm, entryKeyText } from '../../../data/text/index.js';
import { defineCommand, exit, flag, UsageError } from '../../command.js';
import { loadProject } from '../../project/load-project.js';
import {
  type Amounts,
  assignmentArguments,
  type Assignments,
  findColumn,
  type JsonValues,
  patchValue,
  readAssignments,
  readsInput,
  splitKey,
} from './change/assignments.js';
import { isAgreed, readConsent, writeOptions } from './change/confirm.js';
import { type Difference, differences, showChange } from './change/difference.js';
import { type StoredRow, storedRow } from './change/stored-row.js';
import { type Repository, repositoryOf } from './input/read-query.js';
import { reportMissing } from './output/missing-row.js';
import { findEntity } from './session.js';
import { WriteSession } from './write-session.js';

const usage = 'rowsmith patch ENTITY SEGMENT=VALUE... NAME=VALUE...';

/** The command. */
export const patch = defineCommand({
  usage: 'ENTITY SEGMENT=VALUE... NAME=VALUE... [options]',
  about: `Changes some columns of one row, in one request, and keeps the rest. NAME:=null deletes a
column; in a column map, NAME:='{"entry": value}' sets an entry and null deletes it.
COUNTER+=AMOUNT adds to a counter, and NAME+='{"entry": amount}' to entries of a column map. Names
and values can also be an object of JSON, or with - be read from standard input. Shows what changes,
and asks on a terminal. Exit code 1: there is no such row.`,
  arguments: assignmentArguments,
  options: {
    create: flag('Write the columns also if the row does not exist'),
    ...writeOptions,
  },
  async run({ values: options, positionals }, context) {
    const { terminal } = context;
    const [name, ...words] = positionals;
    const canAsk = terminal.canAsk && !readsInput(words, terminal);
    const consent = readConsent(terminal, 'patch', options, canAsk);
    const project = await loadProject(context);
    const model = findEntity(project, name, usage);
    const assignments = await readAssignments(model, words, terminal);
    const { key, columns } = splitKey(model, assignments.values);
    const changes = changesOf(model, columns, assignments);
    const { url, create = false } = options;
    const how = { url, command: 'patch', dryRun: consent.dryRun, creates: create };
    await using session = await WriteSession.open(project, context, how);
    const stored = await storedRow(terminal, model, repositoryOf(session.db, model), key);
    if (stored === undefined && !create)
      return reportMissing(terminal, model, model, key, 'add --create to write it');
    const before = stored?.json;
    const shown = shownChanges(model, before, { columns, changes, assignments });
    showChange(terminal, { model, key, isNew: before === undefined, changes: shown });
    let written = false;
    if (shown.length === 0) terminal.note('the row has these values already');
    else if (await isAgreed(terminal, consent, 'Change this row?')) {
      await session.write((db) => write(repositoryOf(db, model), model, { key, stored }, changes));
      written = true;
    }
    if (!terminal.isForPeople)
      terminal.writeJsonLine({
        entity: model.name,
        key: Object.fromEntries(model.key.names.map((each) => [each, assignments.values[each]])),
        changes: shown,
        written,
      });
    return exit.ok;
  },
});

interface Target {
  readonly key: JsonValues;
  readonly stored: StoredRow | undefined;
}

async function write(
  repository: Repository,
  model: EntityModel,
  { key, stored }: Target,
  changes: CellChanges,
): Promise<void> {
  const condition = changes.increment === undefined && stored !== undefined;
  // With its revision, the row must still be the one that was shown.
  const row = model.managed?.revision === undefined ? key : (stored?.entity ?? key);
  await repository.mutate(row, changes, condition ? { if: { exists: true } } : {});
}

interface CellChanges {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Amounts;
  readonly increment?: Amounts;
}

/** The argument of `mutate`. Throws UsageError. */
function changesOf(model: EntityModel, columns: JsonValues, { amounts }: Assignments): CellChanges {
  const set: Record<string, unknown> = {};
  const add: Record<string, Amounts[string]> = {};
  const increment: Record<string, Amounts[string]> = {};
  for (const [name, json] of Object.entries(columns)) {
    const column = findColumn(model, name, name);
    if (column.kind === 'counter')
      throw new UsageError(`'${name}' is a counter: add to it with ${name}+=AMOUNT`);
    set[name] = patchValue(column, json);
  }
  for (const [name, amount] of Object.entries(amounts)) {
    const column = findColumn(model, name, name);
    if ('aggregate' in column && column.aggregate) add[name] = amount;
    else increment[name] = amount;
  }
  const sets = Object.keys(set).length + Object.keys(add).length;
  const [first] = Object.keys(increment);
  if (sets === 0 && first === undefined)
    throw new UsageError(`nothing is to be changed: add NAME=VALUE; ${usage}`);
  if (first === undefined) return { set, add };
  if (sets === 0) return { increment };
  throw new UsageError(
    `${first}+= cannot be written in one request with other columns: patch them one after the other`,
  );
}

/** What is to be shown: the arguments, and the changes that they are. */
interface Shown {
  readonly columns: JsonValues;
  readonly changes: CellChanges;
  readonly assignments: Assignments;
}

function shownChanges(
  model: EntityModel,
  before: JsonValues | undefined,
  { columns, changes: { set = {} }, assignments: { amounts } }: Shown,
): readonly Difference[] {
  const after = Object.fromEntries(
    Object.keys(columns).map((name) => [
      name,
      patched(findColumn(model, name, name), before?.[name], set[name]),
    ]),
  );
  const counted = Object.entries(amounts).map(([property, amount]) => ({
    property,
    before: before?.[property],
    after: amountText(findColumn(model, property, property), amount),
  }));
  return [...differences(Object.keys(columns), before, after), ...counted];
}

function amountText(column: ColumnModel, amount: Amounts[string]): unknown {
  const signed = (each: bigint): string => `${each < 0n ? '' : '+'}${each}`;
  if (typeof amount === 'bigint' || column.kind !== 'columnMap') return signed(amount as bigint);
  const nameOf = entryKeyText(column.qualifiers);
  return Object.fromEntries([...amount].map(([key, each]) => [nameOf(key), signed(each)]));
}

/** The JSON form of a value after the patch: only entries of column maps are changed one by one. */
function patched(column: ColumnModel, before: unknown, value: unknown): unknown {
  if (value === null) return undefined;
  const json = columnJsonForm(column).format(value);
  if (column.kind !== 'columnMap' || !(value instanceof Map)) return json;
  const nameOf = entryKeyText(column.qualifiers);
  const deleted = [...(value as Map<unknown, unknown>)].filter(([, entry]) => entry === null);
  const names = new Set(deleted.map(([key]) => nameOf(key)));
  const entries = Object.entries({
    ...(before as JsonValues | undefined),
    ...(json as JsonValues),
  });
  return Object.fromEntries(entries.filter(([name]) => !names.has(name)));
}
