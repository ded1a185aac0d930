/** `rowsmith load`: runs a workload against a database and measures it. */
import { countText, type FaultTexts } from '../../../base/index.js';
import { heatFindings } from '../../../tools/heat/index.js';
import { type HeatMap, heatMaps, heatPage } from '../../../tools/page/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { type Database, open } from '../../../entities/repository/index.js';
import {
  type Dataset,
  entityClassesOf,
  type EntityLoad,
  type LoadReport,
  runLoad,
} from '../../../tools/simulate/index.js';
import { defineCommand, StoppedError, type StopSignal, UsageError } from '../../command.js';
import { outputFile, writeOutput } from '../../files.js';
import { loadWorkloads } from '../../project/load-workloads.js';
import { errorText } from '../../terminal/error-text.js';
import type { Terminal } from '../../terminal/terminal.js';
import { noteMissing, urlOf } from '../database.js';
import { assertReachable } from '../reachable.js';
import { longRun } from '../long-run.js';
import { checkLive, checkTarget, type Cleaned, cleanUp, readDataset } from './dataset.js';
import { type LoadOptions, options } from './options.js';
import { printLoad } from './text-report.js';

/** The command. */
export const command = defineCommand({
  usage: '[FILE] [options]',
  about: `Runs a workload (defineWorkload), which FILE exports or the config lists, against a
database, and prints throughput, percentiles of latency, errors by code, and a heat map. Latency
counts from the time at which an operation was due, so a stalled database shows. Ctrl-C prints the
report so far.`,
  arguments: [{ name: 'FILE', kind: 'file' }],
  options,
  examples: [
    ['load workload.js --duration 10s --clean', 'a run on an empty table, which it leaves empty'],
    ['load --rate max --html heat.html', 'as many operations as possible, and a heat map'],
  ],
  exits: {
    partial: 'operations failed, or --clean left rows',
    stopped: 'the report so far was printed',
  },
  json: "{ url: string, deleted?: number, notDeleted?: number } & Omit<LoadReport, 'access'>",
  async run({ values, positionals: [file] }, context) {
    const { folder, config, terminal } = context;
    const choice = { file, name: values.workload };
    const workload = onlyOne(await loadWorkloads({ folder, config }, choice));
    const { model } = workload;
    const dataset = readDataset(model, values.dataset);
    const html = values.html === undefined ? undefined : outputFile(folder, values.html);
    const url = await urlOf(values.url, context);
    checkLive(url, values);
    noteMissing(terminal, url, context.name);
    await assertReachable(url);
    await using db = await open(url, { entities: entityClassesOf(model), lint: false });
    await checkTarget(db, model, { dataset, call: values, url });
    const { report, signal } = await measure(workload, db, { values, dataset }, terminal);
    const cleaned = values.clean ? await cleanUp(db, model, dataset) : undefined;
    const { access: _access, ...json } = report;
    terminal.printJson({ url, ...json, deleted: cleaned?.deleted, notDeleted: cleaned?.failed });
    printLoad(report, cleaned?.deleted, terminal);
    if (cleaned?.error !== undefined) noteLeft(model, cleaned, terminal);
    if (html !== undefined) {
      const { name } = workload;
      const page = { title: `Heat map of ${name}, run`, source: `load on ${url}` };
      await writeOutput(html, heatPage({ ...page, maps: mapsOf(workload, report) }));
      terminal.note(`Written: ${values.html!}`);
    }
    if (signal !== undefined) return signal;
    return report.errors > 0 || cleaned?.error !== undefined ? 'partial' : undefined;
  },
});

/** Rows that `--clean` could not delete, and why. */
function noteLeft({ name }: EntityModel, { failed, error }: Cleaned, terminal: Terminal): void {
  const rows = failed === undefined ? 'rows' : countText(failed, 'row');
  terminal.note(`rowsmith: ${errorText(error)}`);
  terminal.note(`--clean left ${rows} of ${name}: delete them with rowsmith delete ${name}`);
}

function mapsOf({ model }: EntityLoad, { access }: LoadReport): readonly HeatMap[] {
  const models = [model];
  return heatMaps({ access, findings: heatFindings(access, { models }), models });
}

function onlyOne(loads: readonly EntityLoad[]): EntityLoad {
  if (loads.length === 1) return loads[0];
  const names = loads.map(({ name }) => name).join(', ');
  throw new UsageError(faults.severalWorkloads(names));
}

interface Measured {
  readonly report: LoadReport;
  /** The signal that stopped the run. */
  readonly signal: StopSignal | undefined;
}

/** Runs the workload until its end or a signal; a second signal ends the process. */
function measure(
  workload: EntityLoad,
  db: Database,
  { values, dataset }: { readonly values: LoadOptions; readonly dataset: Dataset },
  terminal: Terminal,
): Promise<Measured> {
  const rate = values.rate ?? workload.writesPerSecond + workload.readsPerSecond;
  return longRun(terminal, { name: 'load' }, async (bar, signal) => {
    const report = await runLoad(workload, db, {
      seed: values.seed,
      dataset,
      rate: rate === 'max' ? undefined : rate,
      concurrency: values.concurrency,
      durationMs: values.duration,
      warmUpMs: values.warmUp,
      start: values.start ?? Date.now(),
      signal,
      onProgress: (done) => bar.update(done),
    });
    bar.clear();
    const { reason } = signal as { readonly reason?: unknown };
    return { report, signal: reason instanceof StoppedError ? reason.signal : undefined };
  });
}

const faults = {
  severalWorkloads: (names: string) => ({
    problem: 'load runs one workload',
    fix: `choose one by --workload NAME of ${names}`,
  }),
} satisfies FaultTexts;
