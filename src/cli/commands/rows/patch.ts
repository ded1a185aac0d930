/** `rowsmith patch`: changes some columns of one row. */
import type { FaultTexts } from '../../../base/index.js';
import type { ColumnModel } from '../../../entities/model/index.js';
import { columnJsonForm, entryKeyText } from '../../../data/text/index.js';
import { defineCommand, flag, UsageError } from '../../command.js';
import {
  type Amounts,
  assignmentArguments,
  findColumn,
  type JsonValues,
  patchValue,
} from './change/assignments.js';
import { changeRow, changeShape, loadWrite } from './change/change-row.js';
import { writeOptions } from './change/confirm.js';
import { type Difference, differences } from './change/difference.js';
import { type StoredRow, storedRow } from './change/stored-row.js';
import { WriteSession, type RowWrite } from './change/write-session.js';
import { type UntypedRepository as Repository, repositoryOf } from '../../../tools/rows/index.js';
import { reportMissing } from './output/missing-row.js';
import { LeftOutRows, noteLeftOut } from './undecodable/left-out.js';

/** The command. */
export const command = defineCommand({
  usage: 'ENTITY SEGMENT=VALUE... NAME=VALUE... [options]',
  about: `Changes some columns of one row, in one request. NAME:=null deletes a column; in a column
map, NAME:='{"entry": value}' sets an entry and null deletes it. COUNTER+=AMOUNT adds to a counter,
NAME+='{"entry": amount}' to entries of a column map. Names and values can also be an object of
JSON; - reads it from standard input. Shows what changes, and asks on a terminal.`,
  arguments: assignmentArguments,
  options: {
    create: flag('Write the columns also if the row does not exist'),
    ...writeOptions,
  },
  examples: [
    ['patch Order shop=oslo n=1 status=sent total:=null --yes', 'sets and deletes columns'],
    ['patch Order shop=oslo n=1 hits+=1 --yes', 'adds to a counter'],
  ],
  exits: { failed: 'there is no such row' },
  json: changeShape,
  rows: true,
  async run(input, context) {
    const row = await loadWrite(input, context);
    const { model, key } = row;
    const changes = changesOf(row, context.usage);
    const { create } = input.values;
    await using session = await WriteSession.open(row, context, create);
    const repository = repositoryOf(session.db, model);
    const stored = await storedRow(context.terminal, model, repository, key);
    if (stored === undefined && !create) {
      reportMissing(context.terminal, model, model, key, 'add --create to write it');
      const leftOut = new LeftOutRows(row.project);
      noteLeftOut(context.terminal, await leftOut.find(session.db.engine, { model }), model);
      return 'failed';
    }
    const shown = shownChanges(row, stored?.json, changes);
    const isNew = stored === undefined;
    const change = { isNew, changes: shown, isSame: shown.length === 0 };
    await changeRow(row, { ...change, question: 'Change this row?' }, session, context, (into) =>
      write(into, row, stored, changes),
    );
    return undefined;
  },
});

async function write(
  repository: Repository,
  { model, key }: RowWrite,
  stored: StoredRow | undefined,
  changes: PatchedCells | Increment,
): Promise<void> {
  if ('increment' in changes) {
    await repository.increment(key, changes.increment);
    return;
  }
  const { set, add } = changes;
  // With its revision, the row must still be the one that was shown.
  const row = model.managed?.revision === undefined ? key : (stored?.entity ?? key);
  await repository.patch(row, set, stored === undefined ? { add } : { add, if: { exists: true } });
}

/** The arguments of `patch`. */
interface PatchedCells {
  readonly set: Readonly<Record<string, unknown>>;
  readonly add: Amounts;
}

/** The argument of `increment`. */
interface Increment {
  readonly increment: Amounts;
}

/** What one request changes. Throws UsageError. */
function changesOf({ model, columns, amounts }: RowWrite, usage: string): PatchedCells | Increment {
  const set: Record<string, unknown> = {};
  const add: Record<string, Amounts[string]> = {};
  const increment: Record<string, Amounts[string]> = {};
  for (const [name, json] of Object.entries(columns)) {
    const column = findColumn(model, name, name);
    if (column.kind === 'counter') throw new UsageError(faults.counterSet(name));
    set[name] = patchValue(column, json);
  }
  for (const [name, amount] of Object.entries(amounts)) {
    const column = findColumn(model, name, name);
    if ('aggregate' in column && column.aggregate) add[name] = amount;
    else increment[name] = amount;
  }
  const sets = Object.keys(set).length + Object.keys(add).length;
  const [first] = Object.keys(increment);
  if (sets === 0 && first === undefined) throw new UsageError(faults.nothingToChange(usage));
  if (first === undefined) return { set, add };
  if (sets === 0) return { increment };
  throw new UsageError(faults.addWithSet(first));
}

function shownChanges(
  { model, columns, amounts }: RowWrite,
  before: JsonValues | undefined,
  changes: PatchedCells | Increment,
): readonly Difference[] {
  const set = 'set' in changes ? changes.set : {};
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

const faults = {
  counterSet: (name: string) => ({
    problem: `'${name}' is a counter`,
    fix: `add to it with ${name}+=AMOUNT`,
  }),
  nothingToChange: (usage: string) => ({
    problem: 'nothing is to be changed: add NAME=VALUE',
    fix: usage,
  }),
  addWithSet: (first: string) => ({
    problem: `${first}+= cannot be written in one request with other columns`,
    fix: 'patch them one after the other',
  }),
} satisfies FaultTexts;
