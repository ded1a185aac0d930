/** Copies in `rowsmith derived`: lists the rows with copies that are due, and writes these. */
import { countText, isRowsmithError } from '../../../base/index.js';
import type { Database, PropagationReport } from '../../../entities/repository/index.js';
import type { Project } from '../../project/load-project.js';
import type { Terminal } from '../../terminal/terminal.js';
import { entitiesWith } from '../entity.js';
import { longRun } from '../long-run.js';

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

/** What is due of each source; sources without due copies are left out. */
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

/** Writes the copies that are due; only of the entity that was named. */
export async function propagate(
  db: Database,
  { models }: Project,
  entity: string | undefined,
  terminal: Terminal,
): Promise<undefined> {
  const sources = models.filter(({ copiedBy }) => copiedBy !== undefined);
  const advice = 'What is left stays pending: the same command continues.';
  const reports: (PropagationReport & { readonly entity: string })[] = [];
  for (const { name, entityClass } of entitiesWith(sources, entity, 'is the source of a copy')) {
    const report = await longRun(terminal, { name, advice }, async (bar, signal) => {
      const onProgress = ({ rows }: { readonly rows: number }) => bar.update(rows);
      const result = await db.derived.propagate(entityClass as never, { signal, onProgress });
      bar.done(result.rows);
      return result;
    });
    reports.push({ entity: name, ...report });
    const { sources: count, rows } = report;
    terminal.print(`${name}: copies of ${countText(count, 'row')} in ${countText(rows, 'row')}`);
  }
  terminal.printJson({ url: db.url, reports });
}
