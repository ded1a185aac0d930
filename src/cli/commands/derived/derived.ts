/** `rowsmith derived`: checks, repairs, builds and drops what follows from rows. */
import { suggestionText, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import {
  type Database,
  type DerivedProgress,
  type DerivedReport,
  isClean,
  type RebuildReport,
} from '../../../entities/repository/index.js';
import {
  count,
  defineCommand,
  only,
  type OptionValues,
  text,
  urlOption,
  UsageError,
  withDefault,
} from '../../command.js';
import { loadProject, type Project } from '../../project/load-project.js';
import type { Terminal } from '../../terminal/terminal.js';
import { openDatabase, storedUrl } from '../database.js';
import { entitiesWith } from '../entity.js';
import { longRun } from '../long-run.js';
import { dueCopies, printDue, propagate } from './copies.js';
import { entriesText, indexText, printReport } from './print.js';

const actions = ['list', 'verify', 'repair', 'propagate', 'rebuild', 'drop'] as const;

const options = {
  index: only(
    ['verify', 'repair', 'rebuild', 'drop'],
    text(
      'NAME',
      'Only this index; drop takes the id that list prints, and ENTITY may be a table',
      'index',
    ),
  ),
  after: only(
    ['verify', 'repair'],
    text('POSITION', 'Continue after the position that a stopped check printed'),
  ),
  limit: only(['verify', 'repair'], count('N', 'Stop once N rows and entries were looked at')),
  'max-findings': withDefault(count('N', 'Print at most N findings; all are counted'), 100),
  url: urlOption,
};

const reports = '{ url: string, reports: ({ entity: string } & DerivedReport)[] }';

/** The command. */
export const command = defineCommand({
  usage: `(${actions.join(' | ')}) [ENTITY] [options]`,
  about: `Indexes, copies and rollups of ENTITY, or of all entities, beside readers and writers.
list prints all indexes, also undeclared ones, and copies that are due. verify finds wrong entries,
copies and rollups, and rows without required values; repair also corrects them. propagate writes
the copies of ENTITY's values that are due. rebuild builds an index that was added to a table with
rows, or continues a stopped build; without --index, all that are not ready. drop deletes the
entries of an index that is no longer declared.`,
  actions,
  arguments: [{ name: 'ENTITY', kind: 'entity' }],
  options,
  examples: [
    ['derived list', 'all indexes, and copies that are due'],
    ['derived verify', 'finds faults, and changes nothing'],
    ['derived repair Order --index byStatus', 'repairs one index'],
    ['derived rebuild Order', 'builds the indexes that are not ready'],
    ['derived propagate', 'writes the copies that are due'],
    ['derived drop visits_index --index byCity.86c08bae', 'deletes what an index has left'],
  ],
  exits: {
    different: 'faults are left, or an index is not ready',
    stopped: 'what was done is kept, and the command that it prints continues',
  },
  json: {
    list: `{ url: string, indexes: IndexInfo[], copies: { entity: string, due: number,
      rows: PendingCopies[] }[] }`,
    verify: reports,
    repair: reports,
    propagate: '{ url: string, reports: { entity: string, sources: number, rows: number }[] }',
    rebuild: '{ url: string, builds: ({ entity: string, index: string } & RebuildReport)[] }',
    drop: '{ url: string, id: string, deleted: number }',
  },
  async run({ action, values, positionals: [entity] }, context) {
    const { terminal, folder } = context;
    if (action === 'list' && entity !== undefined) throw new UsageError(faults.listOfEntity);
    if (action === 'drop' && (entity === undefined || values.index === undefined))
      throw new UsageError(faults.dropWithoutIndex);
    if (entity === undefined && (values.index ?? values.after) !== undefined)
      throw new UsageError(faults.optionsWithoutEntity);
    const project = await loadProject(context);
    const readOnly = action === 'list' || action === 'verify';
    await using db = await openDatabase(project, storedUrl(project, values.url, folder), {
      readOnly,
    });
    const run = new CheckRun(db, terminal, action, values);
    if (action === 'list') return await list(db, project, terminal);
    if (action === 'propagate') return await propagate(db, project, entity, terminal);
    if (action === 'drop') return await drop(db, project, entity, values.index!, terminal);
    const models = entitiesOf(project, entity, action !== 'rebuild');
    return (await (action === 'rebuild' ? run.rebuild(models) : run.check(models)))
      ? undefined
      : 'different';
  },
});

/** The entity that was named, or all with something to check, or with indexes to build. */
function entitiesOf(
  { models }: Project,
  name: string | undefined,
  isCheck: boolean,
): readonly EntityModel[] {
  const indexed = models.filter(
    ({ indexes, rollups, columns }) =>
      indexes.length > 0 ||
      (isCheck &&
        (rollups.length > 0 ||
          columns.some((each) => 'required' in each && each.required === true))),
  );
  const what = isCheck ? 'declares an index, a rollup or a required column' : 'declares an index';
  return entitiesWith(indexed, name, what);
}

async function list(db: Database, project: Project, terminal: Terminal): Promise<undefined> {
  const indexes = await db.derived.list();
  const copies = await dueCopies(db, project);
  terminal.printJson({ url: db.url, indexes, copies });
  for (const each of indexes) terminal.print(indexText(each, terminal));
  printDue(copies, terminal);
  if (indexes.length === 0) terminal.print('no entity declares an index, and none is stored');
}

/** `from` is an entity or a table. */
async function drop(
  db: Database,
  { entities, models }: Project,
  from: string,
  index: string,
  terminal: Terminal,
): Promise<undefined> {
  const at = models.find(({ name }) => name === from)?.entityClass;
  const named = entities.find((each) => each === at) ?? from;
  const advice = 'The same command deletes the entries that are left.';
  const { deleted } = await longRun(terminal, { name: 'drop', advice }, async (bar, signal) => {
    const onProgress = (progress: { readonly deleted: number }) => bar.update(progress.deleted);
    const result = await db.derived.drop(named, index, { signal, onProgress });
    bar.done(result.deleted);
    return result;
  });
  terminal.printJson({ url: db.url, id: index, deleted });
  terminal.print(`${entriesText(deleted)} of ${index} deleted.`);
}

interface Hooks {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: DerivedProgress) => void;
}

/** Checks or builds of the indexes of one entity after the other. */
class CheckRun {
  readonly #db: Database;
  readonly #terminal: Terminal;
  readonly #action: (typeof actions)[number];
  readonly #values: OptionValues<typeof options>;

  constructor(
    db: Database,
    terminal: Terminal,
    action: (typeof actions)[number],
    values: OptionValues<typeof options>,
  ) {
    this.#db = db;
    this.#terminal = terminal;
    this.#action = action;
    this.#values = values;
  }

  /** Resolves to whether no fault is left. */
  async check(models: readonly EntityModel[]): Promise<boolean> {
    const action = this.#action as 'verify' | 'repair';
    const { derived, url } = this.#db;
    const { index, after, limit, maxFindings } = this.#values;
    const options = { index, after, limit, maxFindings };
    const reports: (DerivedReport & { readonly entity: string })[] = [];
    for (const { name, entityClass } of models) {
      const report = await this.#run(name, (hooks) =>
        derived[action](entityClass as never, { ...options, ...hooks }),
      );
      reports.push({ entity: name, ...report });
    }
    this.#terminal.printJson({ url, reports });
    return reports.every(isClean);
  }

  /** Resolves to whether all indexes are ready. */
  async rebuild(models: readonly EntityModel[]): Promise<boolean> {
    const { index } = this.#values;
    const states = await this.#db.derived.list();
    const isReady = (id: string) => states.some((each) => each.id === id && each.state === 'ready');
    const all = models.flatMap((model) =>
      model.indexes.map(({ name, id }) => ({ model, name, id })),
    );
    const chosen = all.filter(({ name, id }) =>
      index === undefined ? !isReady(id) : index === name,
    );
    if (index !== undefined && chosen.length === 0) {
      const names = all.map(({ name }) => name);
      throw new UsageError(faults.unknownIndex(index, names));
    }
    const builds = [];
    for (const { model, name } of chosen) builds.push(await this.#build(model, name));
    this.#terminal.printJson({ url: this.#db.url, builds });
    if (builds.length === 0) this.#terminal.print('every index is ready');
    return builds.every(({ ready }) => ready);
  }

  async #build(
    { name: entity, entityClass }: EntityModel,
    index: string,
  ): Promise<RebuildReport & { readonly entity: string; readonly index: string }> {
    const { maxFindings } = this.#values;
    const name = `${entity}.${index}`;
    const report = await this.#run(name, (hooks) =>
      this.#db.derived.rebuild(entityClass as never, index, { maxFindings, ...hooks }),
    );
    this.#terminal.print(
      report.ready
        ? `${name} is ready.`
        : `${name} is not ready: correct these rows, and run the command again.`,
    );
    return { entity, index, ...report };
  }

  /** Runs one check or build, and prints its report. */
  async #run<R extends DerivedReport>(name: string, run: (hooks: Hooks) => Promise<R>): Promise<R> {
    let last: DerivedProgress | undefined;
    const advice = () => last && this.#advice(name, last.position);
    const report = await longRun(this.#terminal, { name, advice }, async (bar, signal) => {
      const onProgress = (progress: DerivedProgress): void => {
        last = progress;
        bar.update(progress.rows + progress.entries);
      };
      const result = await run({ signal, onProgress });
      bar.done(result.rows + result.entries);
      return result;
    });
    printReport(this.#terminal, name, report);
    const { position } = report;
    if (position !== undefined) this.#terminal.print(this.#advice(name, position));
    return report;
  }

  #advice(name: string, position: DerivedProgress['position']): string {
    if (this.#action === 'rebuild')
      return 'The position is kept: the same command continues the build.';
    const { index } = this.#values;
    const option = index === undefined ? '' : ` --index ${index}`;
    return `rowsmith derived ${this.#action} ${name}${option} --after ${position} continues.`;
  }
}

const faults = {
  listOfEntity: { problem: 'list takes no entity' },
  dropWithoutIndex: {
    problem: 'name an entity or a table, and an index: derived drop ENTITY --index ID',
  },
  optionsWithoutEntity: { problem: '--index and --after need an entity' },
  unknownIndex: (index: string, names: readonly string[]) => ({
    problem: `there is no index '${index}'`,
    fix: suggestionText(index, names, 'the indexes are'),
  }),
} satisfies FaultTexts;
