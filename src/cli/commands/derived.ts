/** `rowsmith derived`: checks, repairs, builds and drops what follows from rows. */
import { countText, suggestionText } from '../../base/index.js';
import type { EntityModel } from '../../entities/model/index.js';
import type {
  Database,
  DerivedFinding,
  DerivedProgress,
  DerivedReport,
  IndexInfo,
  RebuildReport,
  RollupDifference,
  RollupFindings,
} from '../../entities/repository/index.js';
import { defineCommand, exit, text, UsageError, type CommandInput } from '../command.js';
import { loadProject, type Project } from '../project/load-project.js';
import type { Terminal } from '../terminal/terminal.js';
import { dueCopies, printDue, propagate, sourcesOf } from './derived-copies.js';
import { databaseUrl, openDatabase, readCount, resumable } from './row-command.js';

const actions = ['list', 'verify', 'repair', 'propagate', 'rebuild', 'drop'] as const;
type Action = (typeof actions)[number];
const defaultFindings = 100;

const options = {
  index: text(
    'NAME',
    'Only this index. drop: its id, as printed by list; ENTITY may be a table',
    'index',
  ),
  after: text(
    'POSITION',
    'verify, repair: continue after this position, which a stopped check prints',
  ),
  limit: text('N', 'verify, repair: stop once N rows and entries were looked at'),
  'max-findings': text('N', 'Print at most N findings. Default: 100. All are counted'),
  url: text('URL', 'The database. Default: url of the config'),
};

/** The command. */
export const derived = defineCommand({
  usage: '(list | verify | repair | propagate | rebuild | drop) [ENTITY] [options]',
  about: `Indexes, copies and rollups of entities, beside readers and writers. list prints all
indexes, stored ones that no entity declares, and rows with copies that are due. verify compares rows
with the entries of their indexes, copies with their sources, and rows with their rollups, and
changes nothing; repair also writes entries and copies that are missing or wrong, deletes entries
that no row backs, and makes rollups exact. Exit code 3: faults are left. propagate writes the
copies of ENTITY's values that are due. rebuild builds an index that was added to a table with rows,
or continues a build that was stopped; without --index, all that are not ready. drop deletes the
entries of an index that is no longer declared. Without an entity, verify, repair and propagate take
all of them.`,
  arguments: [
    { name: 'action', kind: actions },
    { name: 'ENTITY', kind: 'entity' },
  ],
  options,
  async run(input, context) {
    const call = readCall(input);
    const { terminal, folder, config } = context;
    const project = await loadProject({ folder, config });
    const target = databaseUrl(project, call.url, folder);
    if (target === 'memory:')
      throw new UsageError(
        'memory: is empty in every process; name file:./directory or bigtable://project/instance',
      );
    const readOnly = call.action === 'list' || call.action === 'verify';
    await using db = await openDatabase(project, call.url, folder, { stored: true, readOnly });
    switch (call.action) {
      case 'list':
        return await list(db, project, terminal);
      case 'propagate':
        await propagate(db, sourcesOf(project, call.entity), terminal);
        return exit.ok;
      case 'drop':
        return await drop(db, project, call, terminal);
      case 'rebuild':
        return await new CheckRun(db, call, terminal).rebuild(entitiesOf(project, call));
      default:
        return await new CheckRun(db, call, terminal).check(entitiesOf(project, call));
    }
  },
});

interface Call {
  readonly action: Action;
  readonly entity: string | undefined;
  readonly index: string | undefined;
  readonly after: string | undefined;
  readonly limit: number | undefined;
  readonly maxFindings: number;
  readonly url: string | undefined;
}

function readCall({ values, positionals }: CommandInput<typeof options>): Call {
  const [action, entity] = positionals;
  if (!actions.includes(action as Action))
    throw new UsageError(
      'derived takes list, verify, repair, propagate, rebuild or drop, and at most one entity',
    );
  const { index, after, url } = values;
  const isCheck = action === 'verify' || action === 'repair';
  if (!isCheck && (after ?? values.limit) !== undefined)
    throw new UsageError('--after and --limit are options of verify and repair');
  if (action === 'list' && (entity ?? index) !== undefined)
    throw new UsageError('list takes no entity and no --index');
  if (action === 'propagate' && index !== undefined)
    throw new UsageError('propagate takes no --index');
  if (action === 'drop' && (entity === undefined || index === undefined))
    throw new UsageError('name an entity or a table, and an index: derived drop ENTITY --index ID');
  if (entity === undefined && (index ?? after) !== undefined)
    throw new UsageError('--index and --after need an entity');
  const maxFindings = readCount('max-findings', values['max-findings']) ?? defaultFindings;
  const limit = readCount('limit', values.limit);
  return { action: action as Action, entity, index, after, limit, maxFindings, url };
}

/** The entity that was named, or all that have indexes; for checks, or rollups. */
function entitiesOf({ models }: Project, { action, entity }: Call): readonly EntityModel[] {
  const takesRollups = action !== 'rebuild';
  const what = takesRollups ? 'an index or a rollup' : 'an index';
  const indexed = models.filter(
    ({ indexes, rollups }) => indexes.length > 0 || (takesRollups && rollups.length > 0),
  );
  if (entity === undefined) {
    if (indexed.length > 0) return indexed;
    throw new UsageError(`no entity of the project declares ${what}`);
  }
  const found = indexed.find((model) => model.name === entity);
  if (found !== undefined) return [found];
  const names = indexed.map(({ name }) => name);
  throw new UsageError(
    `there is no entity '${entity}' with ${what}; ` +
      suggestionText(entity, names, 'the entities are'),
  );
}

async function list(db: Database, project: Project, terminal: Terminal): Promise<number> {
  const indexes = await db.derived.list();
  const copies = await dueCopies(db, project);
  terminal.printJson({ url: db.url, indexes, copies });
  for (const each of indexes) terminal.print(indexText(each, terminal));
  printDue(copies, terminal);
  if (indexes.length === 0) terminal.print('no entity declares an index, and none is stored');
  return exit.ok;
}

function indexText({ id, entity, index, table, state }: IndexInfo, { style }: Terminal): string {
  const padded = state.padEnd(10);
  const mark = state === 'ready' ? style.good(padded) : style.bad(padded);
  const name = index === undefined ? `${entity}, no longer declared` : `${entity}.${index}`;
  return `${mark}  ${name}  ${style.dim(`${id} in ${table}`)}`;
}

async function drop(
  db: Database,
  { entities, models }: Project,
  { entity, index }: Call,
  terminal: Terminal,
): Promise<number> {
  const at = models.findIndex(({ name }) => name === entity);
  const from = at < 0 ? entity! : models[at].entityClass;
  const bar = terminal.progress('drop');
  const named = entities.find((each) => each === from) ?? entity!;
  const advice = 'The entries that are left are deleted by the same command.';
  try {
    const { deleted } = await resumable({ terminal, state: undefined, advice }, (signal) =>
      db.derived.drop(named, index!, {
        signal,
        onProgress: (progress) => bar.update(progress.deleted),
      }),
    );
    bar.done(deleted);
    terminal.printJson({ url: db.url, id: index, deleted });
    terminal.print(`${entriesText(deleted)} of ${index} deleted.`);
    return exit.ok;
  } catch (error) {
    bar.clear();
    throw error;
  }
}

/** Checks or builds of the indexes of one entity after the other. */
class CheckRun {
  readonly #db: Database;
  readonly #call: Call;
  readonly #terminal: Terminal;

  constructor(db: Database, call: Call, terminal: Terminal) {
    this.#db = db;
    this.#call = call;
    this.#terminal = terminal;
  }

  async check(models: readonly EntityModel[]): Promise<number> {
    const { action, index, after, limit, maxFindings } = this.#call;
    const repair = action === 'repair';
    const reports: (DerivedReport & { readonly entity: string })[] = [];
    for (const model of models) {
      const options = { index, after, limit, maxFindings };
      const report = await this.#run(model.name, (hooks) =>
        repair
          ? this.#db.derived.repair(model.entityClass as never, { ...options, ...hooks })
          : this.#db.derived.verify(model.entityClass as never, { ...options, ...hooks }),
      );
      reports.push({ entity: model.name, ...report });
      this.#print(model.name, report);
    }
    this.#terminal.printJson({ url: this.#db.url, reports });
    return reports.every(isClean) ? exit.ok : exit.different;
  }

  async rebuild(models: readonly EntityModel[]): Promise<number> {
    const { index, maxFindings } = this.#call;
    const states = await this.#db.derived.list();
    const builds: (RebuildReport & { readonly entity: string; readonly index: string })[] = [];
    for (const model of models)
      for (const { name, id } of model.indexes) {
        const isReady = states.some((each) => each.id === id && each.state === 'ready');
        if (index === undefined ? isReady : index !== name) continue;
        const report = await this.#run(`${model.name}.${name}`, (hooks) =>
          this.#db.derived.rebuild(model.entityClass as never, name, { maxFindings, ...hooks }),
        );
        builds.push({ entity: model.name, index: name, ...report });
        this.#print(`${model.name}.${name}`, report);
        const { ready } = report;
        this.#terminal.print(
          ready
            ? `${model.name}.${name} is ready.`
            : `${model.name}.${name} is not ready: correct these rows, and run the command again.`,
        );
      }
    const names = models.flatMap((model) => model.indexes.map(({ name }) => name));
    if (index !== undefined && builds.length === 0)
      throw new UsageError(
        `there is no index '${index}'; ${suggestionText(index, names, 'the indexes are')}`,
      );
    this.#terminal.printJson({ url: this.#db.url, builds });
    if (builds.length === 0) this.#terminal.print('every index is ready');
    return builds.every(({ ready }) => ready) ? exit.ok : exit.different;
  }

  async #run<R extends DerivedReport>(
    name: string,
    run: (hooks: {
      readonly signal: AbortSignal;
      readonly onProgress: (progress: DerivedProgress) => void;
    }) => Promise<R>,
  ): Promise<R> {
    const bar = this.#terminal.progress(name);
    let last: DerivedProgress | undefined;
    const onProgress = (progress: DerivedProgress): void => {
      last = progress;
      bar.update(progress.rows + progress.entries);
    };
    try {
      const advice = { terminal: this.#terminal, state: undefined, advice: '' };
      const report = await resumable(advice, (signal) => run({ signal, onProgress }));
      bar.done(report.rows + report.entries);
      return report;
    } catch (error) {
      bar.clear();
      if (last !== undefined) this.#terminal.note(this.#advice(name, last));
      throw error;
    }
  }

  #advice(name: string, { position }: DerivedProgress): string {
    const { action, index } = this.#call;
    if (action === 'rebuild') return 'The position is kept: the same command continues the build.';
    const option = index === undefined ? '' : ` --index ${index}`;
    return `rowsmith derived ${action} ${name}${option} --after ${position} continues.`;
  }

  #print(name: string, report: DerivedReport): void {
    const terminal = this.#terminal;
    for (const finding of report.findings) terminal.print(findingText(finding, terminal));
    const total = Object.values(report.found).reduce((sum, count) => sum + count, 0);
    const kinds = Object.entries(report.found)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count} ${kind}`);
    const looked = `${countText(report.rows, 'row')}, ${entriesText(report.entries)}`;
    if (total === 0) terminal.print(`${name}: ${looked}: no fault`);
    else
      terminal.print(
        `${name}: ${looked}: ${kinds.join(', ')}; ${report.repaired} of ${total} repaired`,
      );
    if (report.rollups !== undefined) this.#printRollups(name, report.rollups);
    if (report.position !== undefined) terminal.print(this.#advice(name, report as never));
  }

  #printRollups(name: string, found: RollupFindings): void {
    const terminal = this.#terminal;
    for (const each of found.differences) terminal.print(differenceText(each, terminal));
    const { rows, compared, repaired, busy, expired, countsSince } = found;
    const total = differences(found);
    const kinds = (['missing', 'wrong', 'orphan'] as const)
      .filter((kind) => found[kind] > 0)
      .map((kind) => `${found[kind]} ${kind}`);
    const looked = `${countText(rows, 'row')}, ${countText(compared, 'bucket')}`;
    let outcome = 'no fault';
    if (total > 0) outcome = `${kinds.join(', ')}; ${repaired} of ${total} repaired`;
    if (busy > 0) outcome += `; ${busy} were being written`;
    if (expired > 0) outcome += `; not compared before ${countsSince!.toISOString()}: ${expired}`;
    terminal.print(`${name}, rollups: ${looked}: ${outcome}`);
  }
}

function entriesText(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

function isClean({ found, repaired, rollups }: DerivedReport): boolean {
  if (rollups !== undefined && differences(rollups) > rollups.repaired) return false;
  return Object.values(found).reduce((sum, count) => sum + count, 0) === repaired;
}

function differences({ missing, orphan, wrong }: RollupFindings): number {
  return missing + orphan + wrong;
}

function differenceText(
  { kind, name, key, repaired }: RollupDifference,
  { style }: Terminal,
): string {
  const padded = kind.padEnd(9);
  const parts = [repaired ? style.good(padded) : style.bad(padded), name, JSON.stringify(key)];
  if (repaired) parts.push('repaired');
  return parts.join('  ');
}

function findingText(
  { kind, index, property, rowKey, holder, error, repaired }: DerivedFinding,
  { style }: Terminal,
): string {
  const padded = kind.padEnd(9);
  const parts = [repaired ? style.good(padded) : style.bad(padded), property ?? index, rowKey];
  if (holder !== undefined) parts.push(`has the value of ${JSON.stringify(holder)}`);
  if (error?.details.problem !== undefined) parts.push(error.details.problem);
  if (repaired) parts.push('repaired');
  return parts.join('  ');
}
