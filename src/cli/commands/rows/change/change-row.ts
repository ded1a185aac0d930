/** What put and patch share: the row that is given, the question, the write and its report. */
import type { CommandContext } from '../../../command.js';
import { loadProject } from '../../../project/load-project.js';
import { findEntity } from '../../entity.js';
import {
  type UntypedRepository as Repository,
  repositoryOf,
} from '../../../../tools/rows/index.js';
import { readAssignments, readsInput, splitKey } from './assignments.js';
import { type Consent, isAgreed, readConsent } from './confirm.js';
import { type Difference, showChange } from './difference.js';
import type { WriteSession, RowWrite } from './write-session.js';

interface Input {
  readonly values: Consent & { readonly url: string | undefined };
  readonly positionals: readonly string[];
}

/** Loads the project of a write, and reads the row. Throws UsageError. */
export async function loadWrite(input: Input, context: CommandContext): Promise<RowWrite> {
  const [name, ...words] = input.positionals;
  const { terminal } = context;
  const canAsk = terminal.canAsk && !readsInput(words, terminal);
  const consent = readConsent(input.values, context, canAsk);
  const project = await loadProject(context);
  const model = findEntity(project, name, context.usage);
  const given = await readAssignments(model, words, terminal);
  const { url } = input.values;
  return { project, model, url, consent, ...given, ...splitKey(model, given.values) };
}

/** What a write changes. */
export interface RowChange {
  readonly isNew: boolean;
  readonly changes: readonly Difference[];
  /** Nothing is to be written. */
  readonly isSame: boolean;
  readonly question: string;
}

/** The JSON of a write. */
export const changeShape = `{ entity: string, key: { [segment: string]: unknown }, new: boolean,
    changes: { property: string, before?: unknown, after?: unknown }[], written: boolean }`;

/** Shows a change, asks, writes it and reports it. */
export async function changeRow(
  { model, consent, key, values }: RowWrite,
  { isNew, changes, isSame, question }: RowChange,
  session: WriteSession,
  { terminal }: CommandContext,
  write: (repository: Repository) => Promise<unknown>,
): Promise<void> {
  showChange(terminal, { model, key, isNew, changes });
  let written = false;
  if (isSame) terminal.note('the row has these values already');
  else if (await isAgreed(terminal, consent, question)) {
    await session.write((db) => write(repositoryOf(db, model)));
    written = true;
  }
  if (terminal.isForPeople) return;
  const given = Object.fromEntries(model.key.names.map((name) => [name, values[name]]));
  terminal.writeJsonLine({ entity: model.name, key: given, new: isNew, changes, written });
}
