/** Copies in `rowsmith derived`: lists the rows with copies that are due, and writes these. */
import { countText, isRowsmithError, suggestionText } from '../../base/index.js';
import type { EntityModel } from '../../entities/model/index.js';
import type { Database, PropagationReport } from '../../entities/repository/index.js';
import { UsageError } from '../command.js';
import type { Project } from '../project/load-project.js';
import type { Terminal } from '../terminal/terminal.js';
import { resumable } from './row-command.js';

const maxListed = 100;

/** The rows of one entity with copies that are due. */
interface DueCopies {
  readonly entity: string;
  /** Their number. */
  readonly due: number;
  /** The first of them. */
  readonly rows: readonly {
    readonly key: Readonly<Record<string, unknown>>;
    readonly since: Date;
    readonly done: number;
  }[];
}

/** The entities that are the sources of copies; only the one with this name if it is given. */
export function sourcesOf({ models }: Project, entity: string | undefined): readonly EntityModel[] {
  const sources = models.filter(({ copiedBy }) => copiedBy !== undefined);
  if (entity === undefined) {
    if (sources.length > 0) return sources;
    throw new UsageError('no entity of the project is the source of a copy');
  }
  const found = sources.find(({ name }) => name === entity);
  if (found !== undefined) return [found];
  const names = sources.map(({ name }) => name);
  throw new UsageError(
    `there is no entity '${entity}' that is the source of a copy; ` +
      suggestionText(entity, names, 'the entities are'),
  );
}

/** What is due of each source; sources of which nothing is are left out. */
export async function dueCopies(db: Database, { models }: Project): Promise<readonly DueCopies[]> {
  const found: DueCopies[] = [];
  for (const { name, entityClass, copiedBy } of models) {
    if (copiedBy === undefined) continue;
    const rows: DueCopies['rows'][number][] = [];
    let due = 0;
    try {
      for await (const each of db.derived.pending(entityClass as never))
        if (++due <= maxListed) rows.push(each);
    } catch (error) {
      // Nothing was written since the copies were declared.
      if (!isRowsmithError(error) || error.code !== 'TABLE_NOT_FOUND') throw error;
    }
    if (due > 0) found.push({ entity: name, due, rows });
  }
  return found;
}

export function printDue(copies: readonly DueCopies[], terminal: Terminal): void {
  for (const { entity, due, rows } of copies) {
    for (const { key, since, done } of rows) {
      const written = done === 0 ? '' : `, ${countText(done, 'row')} done`;
      const text = `copies since ${since.toISOString()}${written}`;
      const mark = terminal.style.bad('pending'.padEnd(10));
      terminal.print(`${mark}  ${entity} ${JSON.stringify(key)}  ${terminal.style.dim(text)}`);
    }
    if (due > rows.length)
      terminal.print(`... and ${countText(due - rows.length, 'row')} more of ${entity}`);
  }
}

/** Writes the copies that are due. */
export async function propagate(
  db: Database,
  models: readonly EntityModel[],
  terminal: Terminal,
): Promise<void> {
  const reports: (PropagationReport & { readonly entity: string })[] = [];
  for (const { name, entityClass } of models) {
    const bar = terminal.progress(name);
    try {
      const report = await resumable({ terminal, state: undefined, advice: '' }, (signal) =>
        db.derived.propagate(entityClass as never, {
          signal,
          onProgress: ({ rows }) => bar.update(rows),
        }),
      );
      bar.done(report.rows);
      reports.push({ entity: name, ...report });
      const { sources, rows } = report;
      terminal.print(
        `${name}: copies of ${countText(sources, 'row')} in ${countText(rows, 'row')}`,
      );
    } catch (error) {
      bar.clear();
      terminal.note('What is left stays pending: the same command continues.');
      throw error;
    }
  }
  terminal.printJson({ url: db.url, reports });
}
