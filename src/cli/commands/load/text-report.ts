/** The report of a load test on a terminal. */
import { countWords, counted, type LoadReport } from '../../../tools/simulate/index.js';
import { heatPicture } from '../simulate/heat-picture.js';
import type { Terminal } from '../../terminal/terminal.js';

const columns = ['operations', 'mean', 'p50', 'p90', 'p99', 'p99.9', 'max'];
const width = 11;

/** Prints the report. `deleted`: rows that `--clean` has deleted. */
export function printLoad(
  report: LoadReport,
  deleted: number | undefined,
  terminal: Terminal,
): void {
  const { style } = terminal;
  const { workload, operations, seconds, perSecond, errors, unsent, stopped } = report;
  terminal.print(
    `${style.bold(workload)}: ${counted(operations, 'operation')} in ${seconds.toFixed(1)} s, ` +
      `${countWords(perSecond)} each second${stopped ? ', stopped' : ''}`,
  );
  terminal.print();
  terminal.print(
    style.dim(`${''.padEnd(16)}${columns.map((name) => name.padStart(width)).join('')}`),
  );
  for (const { name, latency, service } of report.kinds) {
    terminal.print(row(name, latency));
    if (latency.p99 > service.p99 * 1.5) terminal.print(style.dim(row('  when started', service)));
  }
  terminal.print(style.dim('Milliseconds, from the time at which an operation was due.'));
  for (const picture of heatPicture({ access: report.access, scale: 1 }))
    terminal.print(`  ${picture}`);
  if (unsent > 0)
    terminal.print(
      style.bad(
        `${counted(unsent, 'operation')} could not be started in time: the rate is too high`,
      ),
    );
  if (errors > 0) terminal.print(style.bad(`${counted(errors, 'operation')} failed:`));
  for (const { name, errors: codes } of report.kinds)
    for (const [code, failed] of Object.entries(codes))
      terminal.print(`  ${name}: ${code} ${countWords(failed)} times`);
  if (deleted !== undefined) terminal.print(`${counted(deleted, 'row')} deleted.`);
}

function row(name: string, latency: LoadReport['kinds'][number]['latency']): string {
  const { count: operations, mean, p50, p90, p99, p999, max } = latency;
  const times = [mean, p50, p90, p99, p999, max].map((ms) => ms.toFixed(ms < 10 ? 2 : 1));
  return [
    name.padEnd(16),
    ...[countWords(operations), ...times].map((text) => text.padStart(width)),
  ].join('');
}
