/** `rowsmith load`: runs a workload against a database and measures it. */
import { constants } from 'node:os';
import { countText } from '../../../base/index.js';
import { heatFindings } from '../../../tools/heat/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { type Database, open } from '../../../entities/repository/index.js';
import {
  entityClassesOf,
  type EntityLoad,
  type LoadReport,
  runLoad,
} from '../../../tools/simulate/index.js';
import {
  type CommandContext,
  defineCommand,
  exit,
  StoppedError,
  UsageError,
} from '../../command.js';
import { outputFile } from '../../files.js';
import { loadWorkloads } from '../../project/load-workloads.js';
import { loadProject } from '../../project/load-project.js';
import { noteMissing } from '../open-stored.js';
import { errorText } from '../../terminal/error-text.js';
import type { Terminal } from '../../terminal/terminal.js';
import { databaseUrl } from '../row-command.js';
import { type HeatMap, writeHeatPage } from '../simulate/heat-html.js';
import {
  checkLive,
  checkTarget,
  type Cleaned,
  cleanUp,
  readDataset,
  type Target,
} from './dataset.js';
import { type LoadCall, options, readCall } from './options.js';
import { printLoad } from './text-report.js';

/** The command. */
export const load = defineCommand({
  usage: '[FILE] [options]',
  about: `Runs a workload, which FILE exports (defineWorkload) or the config lists, against a
database for a time, and prints throughput, percentiles of latency, errors by code, and a heat map.
Latency counts from the time at which an operation was due, so that a database that stalls is seen
to stall. Ctrl-C prints the report so far. Exit code 4: operations failed, or
--clean left rows.`,
  arguments: [{ name: 'FILE', kind: 'file' }],
  options,
  async run(input, context) {
    const call = readCall(input);
    const { folder, config, terminal } = context;
    const loads = await loadWorkloads({ folder, config }, { file: call.file, name: call.workload });
    const workload = onlyOne(loads);
    const dataset = readDataset(workload.model, call.dataset);
    const html = call.html === undefined ? undefined : outputFile(folder, call.html);
    const url = await urlOf(call, context);
    checkLive(url, call);
    noteMissing(terminal, url, 'load');
    await using db: Database = await open(url, {
      entities: entityClassesOf(workload.model),
      lint: false,
    });
    const target = await checkTarget(db, workload.model, { dataset, call, url });
    const { report, signal } = await measure(workload, db, call, target, context);
    const cleaned = call.clean ? await cleanUp(db, workload.model, target) : undefined;
    const { access: _access, ...json } = report;
    terminal.printJson({ url, ...json, deleted: cleaned?.deleted, notDeleted: cleaned?.failed });
    printLoad(report, cleaned?.deleted, terminal);
    if (cleaned?.error !== undefined) noteLeft(workload.model, cleaned, terminal);
    if (html !== undefined) {
      await writeHeatPage(html, `load on ${url}`, [heatMapOf(workload, report)]);
      terminal.note(`Written: ${call.html!}`);
    }
    if (signal !== undefined) return 128 + constants.signals[signal];
    return report.errors > 0 || cleaned?.error !== undefined ? exit.partial : exit.ok;
  },
});

/** Rows that `--clean` could not delete, and why. */
function noteLeft({ name }: EntityModel, { failed, error }: Cleaned, terminal: Terminal): void {
  const rows = failed === undefined ? 'rows' : countText(failed, 'row');
  terminal.note(`rowsmith: ${errorText(error)}`);
  terminal.note(`--clean left ${rows} of ${name}: delete them with rowsmith delete ${name}`);
}

function heatMapOf({ name, model }: EntityLoad, { access }: LoadReport): HeatMap {
  return { label: name, model, access, findings: heatFindings(access, { models: [model] }) };
}

function onlyOne(loads: readonly EntityLoad[]): EntityLoad {
  if (loads.length === 1) return loads[0];
  const names = loads.map(({ name }) => name).join(', ');
  throw new UsageError(`load runs one workload: choose one by --workload NAME of ${names}`);
}

/** The url of `--url`; otherwise the url of the config, which a file of workloads does not need. */
async function urlOf({ url }: LoadCall, { folder, config }: CommandContext): Promise<string> {
  if (url !== undefined) return databaseUrl({ url: undefined }, url, folder);
  return databaseUrl(await loadProject({ folder, config }), undefined, folder);
}

interface Measured {
  readonly report: LoadReport;
  /** The signal that stopped the run. */
  readonly signal: StoppedError['signal'] | undefined;
}

/** Runs the workload until its end or a signal; a second signal ends the process. */
async function measure(
  workload: EntityLoad,
  db: Database,
  call: LoadCall,
  { dataset }: Target,
  { terminal }: CommandContext,
): Promise<Measured> {
  const controller = new AbortController();
  let stoppedBy: StoppedError['signal'] | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    stoppedBy = signal as StoppedError['signal'];
    controller.abort(new StoppedError(stoppedBy));
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, stop);
  const { writesPerSecond, readsPerSecond } = workload;
  const rate = call.rate === 'declared' ? writesPerSecond + readsPerSecond : call.rate;
  const bar = terminal.progress('load');
  try {
    const report = await runLoad(workload, db, {
      seed: call.seed,
      dataset,
      rate: rate === 'max' ? undefined : rate,
      concurrency: call.concurrency,
      durationMs: call.durationMs,
      warmUpMs: call.warmUpMs,
      start: call.start ?? Date.now(),
      signal: controller.signal,
      onProgress: (done) => bar.update(done),
    });
    bar.clear();
    return { report, signal: stoppedBy };
  } catch (error) {
    bar.clear();
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
