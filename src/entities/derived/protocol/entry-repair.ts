/**
 * The repair of an entry that no base row backs: the version of the row moves on first, so that a
 * write between its entry and its row must start again; then the entry is deleted by its token.
 */
import {
  type Answer,
  type EntryName,
  type HeldEntry,
  sameEntry,
  type SeenRow,
  type Step,
} from './step.js';

/** An entry to look at. Immutable. */
export interface RepairJob {
  /** Distinguishes this repair from all other repairs. */
  readonly id: string;
  readonly entry: EntryName;
  /** The base row's key, one character per byte. */
  readonly row: string;
}

/**
 * How a repair ended: `replaced` if the row has the entry with another token, `busy` if the row was
 * written meanwhile.
 */
export type RepairResult = {
  readonly kind: 'kept' | 'replaced' | 'deleted' | 'busy' | 'failed';
};

/** A repair between two requests. */
export interface RepairState {
  readonly at: 'entry' | 'row' | 'fence' | 'delete';
  readonly token: string;
}

type RepairStep = Step<RepairState, RepairResult>;

/** The first request of a repair. */
export function startRepair({ entry }: RepairJob): RepairStep {
  return ask('entry', '', { kind: 'readEntry', entry });
}

/** What follows an answer. */
export function continueRepair(job: RepairJob, state: RepairState, answer: Answer): RepairStep {
  if (answer.kind === 'failed') return end('failed');
  const { token } = state;
  switch (state.at) {
    case 'entry':
      return afterEntry(job, (answer as { readonly held?: HeldEntry }).held);
    case 'row':
      return afterRow(job, token, (answer as { readonly row: SeenRow }).row);
    case 'fence':
      if (!(answer as { readonly applied: boolean }).applied) return end('busy');
      return ask('delete', token, { kind: 'deleteEntry', entry: job.entry, token });
    case 'delete':
      return end((answer as { readonly applied: boolean }).applied ? 'deleted' : 'busy');
  }
}

function afterEntry({ row }: RepairJob, held: HeldEntry | undefined): RepairStep {
  if (held === undefined || held.row !== row) return end('kept');
  return ask('row', held.token, { kind: 'readRow', row });
}

function afterRow({ id, entry, row }: RepairJob, token: string, seen: SeenRow): RepairStep {
  const had = seen.entries.find((each) => sameEntry(each, entry));
  if (had !== undefined) return end(had.token === token ? 'kept' : 'replaced');
  return ask('fence', token, { kind: 'fence', row, version: seen.version, next: `${id}.f` });
}

function ask(
  at: RepairState['at'],
  token: string,
  request: Extract<RepairStep, { kind: 'ask' }>['request'],
): RepairStep {
  return { kind: 'ask', state: { at, token }, request };
}

function end(kind: RepairResult['kind']): RepairStep {
  return { kind: 'end', result: { kind } };
}
